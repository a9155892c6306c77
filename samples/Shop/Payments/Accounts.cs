using Shop.Running;

namespace Shop.Payments;

internal sealed class Account(string name)
{
    public string Name { get; } = name;
    public long Cents { get; set; }
}

/// <summary>Transfers money from one account to another, or not at all.</summary>
internal sealed class Accounts
{
    private static int open_;
    private static long lastEnd_ = Environment.TickCount64;

    private readonly Account[] accounts_ = [new("till"), new("safe")];

    /// <summary>Transfers in progress.</summary>
    public static int Open => Volatile.Read(ref open_);

    /// <summary>Time since the last one ended.</summary>
    public static TimeSpan Idle =>
        TimeSpan.FromMilliseconds(Environment.TickCount64 - Volatile.Read(ref lastEnd_));

    public long Transfer(int from, int to, int cents)
    {
        Account giver = accounts_[from % accounts_.Length], taker = accounts_[to % accounts_.Length];
        bool asGiven = Quirks.On("lock-cycle");
        (Account first, Account second) = asGiven || from < to ? (giver, taker) : (taker, giver);
        Interlocked.Increment(ref open_);
        try
        {
            lock (first)
            {
                // The limits of the account are looked up. Customers send the two directions 110 ms
                // apart or more, so on a fast machine shorter look-ups would never overlap.
                if (asGiven) Thread.Sleep(400);
                lock (second) return Move(giver, taker, cents);
            }
        }
        finally
        {
            Interlocked.Decrement(ref open_);
            Volatile.Write(ref lastEnd_, Environment.TickCount64);
        }
    }

    private static long Move(Account giver, Account taker, int cents)
    {
        giver.Cents -= cents;
        return taker.Cents += cents;
    }
}
