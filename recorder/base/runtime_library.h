// Symbols of the loaded runtime: of libcoreclr, or of the program itself in a single-file
// application. Takes the loader's lock: not during a pause.
#pragma once

namespace hindsight::recorder {

// Null: the runtime does not export it. Valid for the life of the process, as the runtime is.
void* RuntimeSymbol(const char* name);

}  // namespace hindsight::recorder
