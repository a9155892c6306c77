// Creates elements. Texts are only inserted as text: nothing from a recording is ever markup.

// `make('p', 'lead', 'text', child, ...)`: children are nodes or texts; null is skipped.
function make(tag, className = '', ...children) {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...children.filter((child) => child !== null && child !== undefined))
  return element
}

function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}
