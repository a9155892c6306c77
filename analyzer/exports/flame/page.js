// The page that shows one flame graph and nothing else.
const profile = JSON.parse(document.getElementById('profile').textContent)
document.title = `${profile.title} – Hindsight`
document.getElementById('title').textContent = profile.title
document.getElementById('facts').textContent = profile.facts.join('  ·  ')

window.flame = new FlamePanel({ controls: document.querySelector('.controls'), body: document.getElementById('graph') },
  { now: 'this recording', base: 'baseline' })
window.flame.show(profile)

document.getElementById('theme').addEventListener('click', Theme.toggle)
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') window.flame.reset()
  const isTyping = event.target.matches('input, select')
  if (isTyping || event.ctrlKey || event.metaKey) return
  if (event.key === '/') {
    event.preventDefault()
    document.getElementById('search').focus()
  }
})
