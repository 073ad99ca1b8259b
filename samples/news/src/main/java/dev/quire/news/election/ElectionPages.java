package dev.quire.news.election;

import dev.quire.news.article.Articles;
import dev.quire.news.article.Summary;
import dev.quire.spring.EsiPage;
import dev.quire.spring.EsiResponse;
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
    @EsiPage(
            ttl = "60s",
            stale = "30s",
            staleIfError = "1h",
            tags = {"election", "election-stories"})
    String overview(Model model, EsiResponse response) {
        stories(STORIES_BESIDE_THE_COUNT, model, response);
        return "election/overview";
    }

    @GetMapping("/news/index.nhn")
    @EsiPage(
            ttl = "60s",
            stale = "30s",
            staleIfError = "1h",
            tags = {"election", "election-stories"})
    String news(Model model, EsiResponse response) {
        stories(STORIES_OF_THE_NIGHT, model, response);
        return "election/news";
    }

    @GetMapping("/trend/index.nhn")
    @EsiPage(ttl = "60s", stale = "30s", staleIfError = "1h", tags = "election")
    String trend() {
        return "election/trend";
    }

    @GetMapping("/candidate/index.nhn")
    @EsiPage(ttl = "60s", stale = "30s", staleIfError = "1h", tags = "election")
    String candidate() {
        return "election/candidate";
    }

    private void stories(int limit, Model model, EsiResponse response) {
        var stories = articles.latestOnElection(limit, 0);
        response.tag(Summary.tags(stories));
        model.addAttribute("stories", stories);
    }
}
