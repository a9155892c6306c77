using System.Data.Common;
using Microsoft.EntityFrameworkCore;

namespace Queries;

internal sealed class Book
{
    public int Id { get; set; }
    public int Shelf { get; set; }
    public string Title { get; set; } = "";
}

internal sealed class LibraryContext(DbContextOptions<LibraryContext> options) : DbContext(options)
{
    public DbSet<Book> Books => Set<Book>();
}

/// <summary>The library's queries.</summary>
internal sealed class Shelves(LibraryContext library)
{
    public const int BooksOfAShelf = 20;

    public static async Task Fill(LibraryContext library, int shelves)
    {
        await library.Database.EnsureCreatedAsync();
        for (int i = 0; i < shelves * BooksOfAShelf; i++)
        {
            library.Books.Add(new Book { Shelf = 1 + i / BooksOfAShelf, Title = $"book {i}" });
        }
        await library.SaveChangesAsync();
    }

    public async Task<string> Title(int id) =>
        await library.Books.AsNoTracking().Where(book => book.Id == id).Select(book => book.Title).FirstAsync();

    /// <summary>The ids with one command, and then each title with another one.</summary>
    public async Task<List<string>> OneByOne(int shelf)
    {
        var titles = new List<string>();
        List<int> ids = await library.Books.AsNoTracking().Where(book => book.Shelf == shelf).Select(book => book.Id).ToListAsync();
        foreach (int id in ids)
        {
            titles.Add(await Title(id));
            await Task.Yield();
        }
        return titles;
    }

    /// <summary>With commands to the driver, between two of EF Core.</summary>
    public async Task<List<string>> WithoutEntities(int shelf)
    {
        List<int> ids = await library.Books.AsNoTracking().Where(book => book.Shelf == shelf).Select(book => book.Id).ToListAsync();
        var titles = new List<string>();
        await using (DbConnection connection = Connect())
        {
            await connection.OpenAsync();
            foreach (int id in ids)
            {
                await using DbCommand command = connection.CreateCommand();
                command.CommandText = $"SELECT \"Title\", ARRAY[1,{id}] FROM \"Books\" WHERE \"Id\" = {id}";
                titles.Add((string)(await command.ExecuteScalarAsync())!);
            }
        }
        await library.Books.CountAsync();
        return titles;
    }

    private DbConnection Connect() => new Npgsql.NpgsqlConnection(library.Database.GetConnectionString());

    /// <summary>All at once.</summary>
    public Task<List<string>> Together(int shelf) =>
        library.Books.AsNoTracking().Where(book => book.Shelf == shelf).Select(book => book.Title).ToListAsync();
}
