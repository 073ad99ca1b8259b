// Fetches moving parts again while the page is open. Without it the page is complete, only still.
for (const part of document.querySelectorAll('[data-refresh]')) {
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(part.dataset.refresh);
      if (answer.ok) part.innerHTML = await answer.text();
    } catch {
      // Offline for a moment: the last figures stay.
    }
  }, Number(part.dataset.every) * 1000);
}
