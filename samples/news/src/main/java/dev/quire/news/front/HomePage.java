package dev.quire.news.front;

import dev.quire.news.article.Articles;
import dev.quire.news.article.Section;
import dev.quire.news.article.Summary;
import dev.quire.spring.EsiPage;
import dev.quire.spring.EsiResponse;
import java.util.Arrays;
import java.util.List;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** {@code /main/home.nhn}: the front page. */
@Controller
class HomePage {
    private static final int ELECTION_STORIES = 10;
    private static final int STORIES_OF_A_SECTION = 4;

    private final Articles articles;

    HomePage(Articles articles) {
        this.articles = articles;
    }

    /** A section's part of the front page. */
    record Corner(Section section, List<Summary> stories) {}

    @GetMapping("/")
    String root() {
        return "redirect:/main/home.nhn";
    }

    @GetMapping("/main/home.nhn")
    @EsiPage(ttl = "60s", stale = "30s", staleIfError = "1h", tags = "home")
    String home(Model model, EsiResponse response) {
        var election = articles.latestOnElection(ELECTION_STORIES, 0);
        var corners =
                Arrays.stream(Section.values())
                        .filter(section -> section != Section.POLITICS)
                        .map(this::corner)
                        .toList();
        response.tag(Summary.tags(election));
        corners.forEach(corner -> response.tag(Summary.tags(corner.stories())));
        model.addAttribute("election", election);
        model.addAttribute("corners", corners);
        return "home";
    }

    private Corner corner(Section section) {
        return new Corner(section, articles.latest(section, STORIES_OF_A_SECTION, 0));
    }
}
