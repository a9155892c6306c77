namespace BigHeap;

internal sealed class Link
{
    public Link? Next;
}

internal abstract class Node
{
    public abstract int References { get; }
    public abstract void Refer(int index, Node target);
}

internal sealed class Small : Node
{
    private Node? only_;
    private readonly int number_ = 1;
    public override int References => number_;
    public override void Refer(int index, Node target) => only_ = target;
    public override string ToString() => $"{only_ != null}";
}

internal sealed class Medium : Node
{
    private Node? left_;
    private Node? right_;
    private readonly long number_ = 2;
    public override int References => (int)number_;
    public override string ToString() => $"{left_ != null} {right_ != null}";

    public override void Refer(int index, Node target)
    {
        if (index == 0) left_ = target;
        else right_ = target;
    }
}

internal sealed class Wide : Node
{
    private Node? parent_;
    private readonly double weight_ = 3;
    private Node? first_;
    private Node? last_;
    public override int References => (int)weight_;
    public override string ToString() => $"{parent_ != null} {first_ != null} {last_ != null}";

    public override void Refer(int index, Node target)
    {
        if (index == 0) parent_ = target;
        else if (index == 1) first_ = target;
        else last_ = target;
    }
}

internal sealed class Broad : Node
{
    private Node? owner_;
    private Node? before_;
    private Node? after_;
    private Node? other_;
    private readonly decimal number_ = 4;
    public override int References => (int)number_;
    public override string ToString() => $"{owner_ != null} {before_ != null} {after_ != null} {other_ != null}";

    public override void Refer(int index, Node target)
    {
        switch (index)
        {
            case 0: owner_ = target; break;
            case 1: before_ = target; break;
            case 2: after_ = target; break;
            default: other_ = target; break;
        }
    }
}

internal static class Nodes
{
    /// <summary>All of one class; each refers to the previous one.</summary>
    public static Node[] Regular(int count)
    {
        var all = new Node[count];
        for (int i = 0; i < count; i++)
        {
            all[i] = new Small();
            if (i > 0) all[i].Refer(0, all[i - 1]);
        }
        return all;
    }

    /// <summary>
    /// Like the heap of a service: objects refer mostly to those created at about the same time,
    /// and a few to any. Of 100 objects 40, 30, 20, 10 have 1, 2, 3, 4 references; of 100
    /// references 70 go to one of the 8 previous neighbors, 15 to one of 128, 5 anywhere, and 10
    /// are null. The same each time.
    /// </summary>
    public static Node[] Irregular(int count)
    {
        var random = new Randomness();
        var all = new Node[count];
        for (int i = 0; i < count; i++)
        {
            uint kind = random.Below(100);
            Node node = kind < 40 ? new Small() : kind < 70 ? new Medium() : kind < 90 ? new Wide() : new Broad();
            all[i] = node;
            for (int slot = 0; slot < node.References && i > 0; slot++)
            {
                uint how = random.Below(100);
                uint reach = how < 70 ? 8u : how < 85 ? 128u : how < 90 ? uint.MaxValue : 0u;
                if (reach == 0) continue;
                node.Refer(slot, all[i - 1 - (int)random.Below(Math.Min(reach, (uint)i))]);
            }
        }
        return all;
    }

    /// <summary>xorshift64*, always the same sequence: the algorithm of Random may
    /// change.</summary>
    private sealed class Randomness
    {
        private ulong state_ = 0x9E3779B97F4A7C15;

        public uint Below(uint limit)
        {
            state_ ^= state_ >> 12;
            state_ ^= state_ << 25;
            state_ ^= state_ >> 27;
            return (uint)((state_ * 0x2545F4914F6CDD1D >> 32) * limit >> 32);
        }
    }
}
