// Carries precompiled.h; see precompiled.cmake.
