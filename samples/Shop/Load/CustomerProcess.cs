using System.Diagnostics;
using System.Globalization;

namespace Shop.Load;

/// <summary>The customers, in a process that is not recorded, even if this one is.</summary>
internal static class CustomerProcess
{
    public static Process Start(Uri shop, int rate, TimeSpan longest)
    {
        string self = Environment.ProcessPath!;
        var start = new ProcessStartInfo(self) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(self) == "dotnet") start.ArgumentList.Add(typeof(CustomerProcess).Assembly.Location);
        start.ArgumentList.Add("--customers");
        start.ArgumentList.Add(shop.ToString());
        start.ArgumentList.Add("--rate");
        start.ArgumentList.Add(rate.ToString(CultureInfo.InvariantCulture));
        start.ArgumentList.Add("--seconds");
        start.ArgumentList.Add(((int)longest.TotalSeconds).ToString(CultureInfo.InvariantCulture));
        foreach (string name in start.Environment.Keys.ToArray())
        {
            if (name.StartsWith("CORECLR_", StringComparison.Ordinal)) start.Environment.Remove(name);
        }
        return Process.Start(start)!;
    }

    public static void End(Process? customers)
    {
        if (customers is null || customers.HasExited) return;
        customers.Kill();
        customers.WaitForExit();
    }
}
