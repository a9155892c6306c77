# The panel with a flame graph, for pages that have one. Scripts share one scope, in this order.
set(flame ${CMAKE_CURRENT_LIST_DIR})
set(flame_styles ${flame}/colours.css ${flame}/panel.css)
# Also used by pages without a flame graph.
set(flame_basics ${flame}/make.js ${flame}/format.js ${flame}/theme.js)
set(flame_scripts
  ${flame_basics}
  ${flame}/tree.js
  ${flame}/sandwich.js
  ${flame}/painting.js
  ${flame}/view.js
  ${flame}/colouring.js
  ${flame}/details.js
  ${flame}/parts.js
  ${flame}/search.js
  ${flame}/state.js
  ${flame}/picture.js
  ${flame}/sides.js
  ${flame}/panel.js)
