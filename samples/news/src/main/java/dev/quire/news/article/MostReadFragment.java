package dev.quire.news.article;

import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiResponse;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The list of articles read most, beside every page. */
@Controller
class MostReadFragment {
    private static final int LISTED = 10;

    private final Articles articles;

    MostReadFragment(Articles articles) {
        this.articles = articles;
    }

    @GetMapping("/fragment/most-read")
    @EsiFragment(ttl = "60s", stale = "30s", staleIfError = "1h", tags = "most-read")
    String mostRead(Model model, EsiResponse response) {
        var listed = articles.mostRead(LISTED);
        response.tag(Summary.tags(listed.stream().map(ReadArticle::article).toList()));
        model.addAttribute("articles", listed);
        return "fragment/most-read";
    }
}
