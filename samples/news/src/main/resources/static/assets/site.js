// Refreshes the live parts while the page is open. Without it the page is complete but static.
for (const part of document.querySelectorAll('[data-refresh]')) {
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(part.dataset.refresh);
      if (answer.ok) part.innerHTML = await answer.text();
    } catch {
      // Network error: keep the last figures.
    }
  }, Number(part.dataset.every) * 1000);
}
