package dev.quire.news.front;

import dev.quire.news.article.Articles;
import dev.quire.news.article.Section;
import dev.quire.news.article.Summary;
import dev.quire.spring.EsiPage;
import dev.quire.spring.EsiResponse;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.server.ResponseStatusException;

/** {@code /main.nhn?mode=LSD&sid=}: the newest articles of a section, page by page. */
@Controller
class SectionPage {
    private static final int STORIES_OF_A_PAGE = 25;

    private final Articles articles;

    SectionPage(Articles articles) {
        this.articles = articles;
    }

    @GetMapping(path = "/main.nhn", params = "mode=LSD")
    @EsiPage(ttl = "60s", stale = "30s", staleIfError = "1h", tags = "section-#{#sid}")
    String section(
            @RequestParam int sid,
            @RequestParam(defaultValue = "1") int page,
            Model model,
            EsiResponse response) {
        var section =
                Section.ofSid(sid)
                        .orElseThrow(() ->
                                new ResponseStatusException(
                                        HttpStatus.NOT_FOUND, "sid: there is no such section"));
        long pages = (articles.count(section) + STORIES_OF_A_PAGE - 1) / STORIES_OF_A_PAGE;
        if (page < 1 || page > pages) {
            throw new ResponseStatusException(
                    HttpStatus.NOT_FOUND, "page: expected a number from 1 to " + pages);
        }
        var stories = articles.latest(section, STORIES_OF_A_PAGE, (page - 1) * STORIES_OF_A_PAGE);
        response.tag(Summary.tags(stories));
        model.addAttribute("section", section);
        model.addAttribute("page", page);
        model.addAttribute("pages", pages);
        model.addAttribute("stories", stories);
        return "section";
    }
}
