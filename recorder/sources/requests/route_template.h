// A request's path without the values in it: the values that routing found show where they are.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::recorder {

// `/orders/17`, `[id, 17],[action, One]` -> `/orders/{id}`. Names of code (action, controller,
// page, area) are kept. Empty if a value is not found in the path: it may be there in another form,
// so nothing of the path may be reported.
std::u16string RouteTemplate(std::u16string_view path, std::u16string_view values);

}  // namespace hindsight::recorder
