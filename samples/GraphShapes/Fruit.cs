namespace GraphShapes;

// What the shapes refer to. Adjacent fields refer to different classes, so a field with a wrong
// name is noticed.
internal sealed class Apple { public int Weight = 1; }
internal sealed class Pear { public int Weight = 2; }
internal sealed class Plum { public long Weight = 3; }
internal sealed class Cherry { public byte Weight = 4; }
internal sealed class Fig { public decimal Weight = 5; }
internal sealed class Grape { public int Weight = 6; }
internal sealed class Lemon { public int Weight = 7; }
internal sealed class Melon { public int Weight = 8; }
internal sealed class Peach { public int Weight = 9; }
internal sealed class Quince { public int Weight = 10; }
