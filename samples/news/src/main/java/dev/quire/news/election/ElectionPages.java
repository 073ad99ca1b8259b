package dev.quire.news.election;

import dev.quire.news.article.Articles;
import dev.quire.spring.EsiFragment;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** {@code /president2012/…}: the pages of the election. Their figures come as fragments. */
@Controller
@RequestMapping("/president2012")
class ElectionPages {
    private static final int STORIES_BESIDE_THE_COUNT = 8;
    private static final int STORIES_OF_THE_NIGHT = 40;

    private final Articles articles;

    ElectionPages(Articles articles) {
        this.articles = articles;
    }

    @GetMapping("/index.nhn")
    @EsiFragment(ttl = "60s", stale = "30s", staleIfError = "1h", tags = "election")
    String overview(Model model) {
        model.addAttribute("stories", articles.latestOnElection(STORIES_BESIDE_THE_COUNT, 0));
        return "election/overview";
    }

    @GetMapping("/news/index.nhn")
    @EsiFragment(ttl = "60s", stale = "30s", staleIfError = "1h", tags = "election")
    String news(Model model) {
        model.addAttribute("stories", articles.latestOnElection(STORIES_OF_THE_NIGHT, 0));
        return "election/news";
    }

    @GetMapping("/trend/index.nhn")
    @EsiFragment(ttl = "60s", stale = "30s", staleIfError = "1h", tags = "election")
    String trend() {
        return "election/trend";
    }

    @GetMapping("/candidate/index.nhn")
    @EsiFragment(ttl = "60s", stale = "30s", staleIfError = "1h", tags = "election")
    String candidate() {
        return "election/candidate";
    }
}
