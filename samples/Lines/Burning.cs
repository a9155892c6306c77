using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Lines;

/// <summary>Methods that spend nearly all of their CPU time on one line.</summary>
internal static class Burning
{
    private static double sum_;
    private static readonly double[] table_ = new double[1024];

    public static void Run(int milliseconds)
    {
        TimeSpan end = Process.GetCurrentProcess().TotalProcessorTime +
                       TimeSpan.FromMilliseconds(milliseconds);
        while (milliseconds > 0 && Process.GetCurrentProcess().TotalProcessorTime < end)
        {
            for (int i = 0; i < 20; i++)
            {
                Inner(20_000);                  // line: burn.call-inner
                Called(20_000);                 // line: burn.call-called
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Inner(int count)
    {
        double sum = 0;
        Fill();
        for (int i = 1; i < count; i++)
        {
            sum += Math.Sqrt(i) / (1 + sum) + Math.Sqrt(sum) / i;  // line: burn.inner
        }
        sum_ += sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Called(int count)
    {
        Fill();
        double sum = 1;
        for (int i = 1; i < count; i++)
        {
            sum = Callee(sum, i);               // line: burn.called
        }
        sum_ += sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Callee(double sum, int i)
    {
        return Math.Sqrt(sum + i) / (1 + Math.Sqrt(i)) + Math.Sqrt(sum) / i;  // line: burn.callee
    }

    private static void Fill()
    {
        for (int i = 0; i < 16; i++) table_[i] = i;
    }
}
