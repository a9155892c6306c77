// The commit that a program was built from.
#pragma once

namespace hindsight::cli {

// 9de647a41dbc, `9de647a41dbc with changes`, or nothing where it is unknown. Made by the build.
extern const char kCommit[];

}  // namespace hindsight::cli
