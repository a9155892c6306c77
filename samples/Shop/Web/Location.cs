using System.Reflection;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.Controllers;

namespace Shop.Web;

/// <summary>The shop's address; known once it is open.</summary>
internal sealed class Location
{
    public Uri? Address { get; set; }
}

/// <summary>Allows controllers that are not public.</summary>
internal sealed class OwnControllers : ControllerFeatureProvider
{
    protected override bool IsController(TypeInfo type) =>
        !type.IsAbstract && type.IsSubclassOf(typeof(ControllerBase)) && type.Assembly == typeof(OwnControllers).Assembly;
}
