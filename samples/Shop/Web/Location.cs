using System.Reflection;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.Controllers;

namespace Shop.Web;

/// <summary>Where the shop is; known once it is open.</summary>
internal sealed class Location
{
    public Uri? Address { get; set; }
}

/// <summary>Controllers need not be public.</summary>
internal sealed class OwnControllers : ControllerFeatureProvider
{
    protected override bool IsController(TypeInfo type) =>
        !type.IsAbstract && type.IsSubclassOf(typeof(ControllerBase)) && type.Assembly == typeof(OwnControllers).Assembly;
}
