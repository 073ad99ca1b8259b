package dev.quire.news.election;

import dev.quire.news.article.Articles;
import dev.quire.news.article.Summary;
import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiResponse;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The parts of pages that show the count. Each is the same for everyone. */
@Controller
class ElectionFragments {
    private final Counts counts;
    private final Articles articles;

    ElectionFragments(Counts counts, Articles articles) {
        this.counts = counts;
        this.articles = articles;
    }

    /** The current headline, and the newest story from the closest region. */
    @GetMapping("/fragment/headline")
    @EsiFragment(
            ttl = "60s",
            stale = "30s",
            staleIfError = "1h",
            tags = {"election", "election-stories"})
    String headline(Model model, EsiResponse response) {
        var count = counts.current();
        var story = articles.latestOnElection(count.closest().region());
        story.ifPresent(told -> response.tag(Summary.tag(told.id())));
        model.addAttribute("headline", Headline.of(count));
        model.addAttribute("story", story.orElse(null));
        return "fragment/headline";
    }

    /** The two leaders and how much is counted; it changes most often. */
    @GetMapping("/fragment/live")
    @EsiFragment(ttl = "3s", stale = "10s", staleIfError = "1h", tags = "election")
    String live(Model model) {
        model.addAttribute("count", counts.current());
        return "fragment/live";
    }

    /** All candidates with their bars. */
    @GetMapping("/fragment/candidates")
    @EsiFragment(ttl = "30s", stale = "15s", staleIfError = "1h", tags = "election")
    String candidates(Model model) {
        model.addAttribute("count", counts.current());
        return "fragment/candidates";
    }

    /** All regions, those with the most counted first. */
    @GetMapping("/fragment/regions")
    @EsiFragment(ttl = "30s", stale = "15s", staleIfError = "1h", tags = "election")
    String regions(Model model) {
        model.addAttribute("count", counts.current());
        return "fragment/regions";
    }

    /** The map of the country. */
    @GetMapping("/fragment/map")
    @EsiFragment(ttl = "30s", stale = "15s", staleIfError = "1h", tags = "election")
    String map(Model model) {
        model.addAttribute("map", TileMap.of(counts.current()));
        return "fragment/map";
    }

    /** Every figure by region and candidate, with the national sums. */
    @GetMapping("/fragment/table")
    @EsiFragment(ttl = "30s", stale = "15s", staleIfError = "1h", tags = "election")
    String table(Model model) {
        model.addAttribute("count", counts.current());
        model.addAttribute("candidates", Candidate.values());
        return "fragment/table";
    }

    /** The chart of the night so far. */
    @GetMapping("/fragment/trend")
    @EsiFragment(ttl = "30s", stale = "15s", staleIfError = "1h", tags = "election")
    String trend(Model model) {
        var history = counts.history();
        model.addAttribute("shares", LineChart.ofShares(history));
        model.addAttribute("votes", LineChart.ofVotes(history));
        return "fragment/trend";
    }
}
