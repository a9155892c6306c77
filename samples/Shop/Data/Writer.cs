namespace Shop.Data;

/// <summary>SQLite allows one writer at a time. Writers wait here without blocking a
/// thread.</summary>
internal sealed class Writer
{
    private readonly SemaphoreSlim turn_ = new(1);

    public async Task<T> Write<T>(Func<Task<T>> change, CancellationToken token = default)
    {
        await turn_.WaitAsync(token);
        try
        {
            return await change();
        }
        finally
        {
            turn_.Release();
        }
    }
}
