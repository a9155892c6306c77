// The page that shows one flame graph and nothing else.
const profile = JSON.parse(document.getElementById('profile').textContent)
document.title = `${profile.title} – Hindsight`
document.getElementById('title').textContent = profile.title
document.getElementById('facts').textContent = profile.facts.join('  ·  ')

window.flame = new FlamePanel({ controls: document.querySelector('.controls'), body: document.getElementById('graph') },
  { now: 'this recording', base: 'baseline' })
// What is shown is in the fragment of the address.
let shown = location.hash.slice(1)
window.flame.onChange = (state) => {
  shown = FlameState.text(state)
  history.replaceState(null, '', shown ? `#${shown}` : location.pathname + location.search)
}
window.addEventListener('hashchange', () => {
  if (location.hash.slice(1) !== shown) window.flame.restore(FlameState.parse(location.hash.slice(1)))
})
window.flame.show(profile, FlameState.parse(shown))

document.getElementById('theme').addEventListener('click', Theme.toggle)
window.flame.listenTo(document)
