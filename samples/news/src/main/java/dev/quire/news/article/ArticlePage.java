package dev.quire.news.article;

import dev.quire.spring.EsiPage;
import dev.quire.spring.EsiResponse;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.server.ResponseStatusException;

/** {@code /main/read.nhn}: one article. */
@Controller
class ArticlePage {
    private static final int RELATED = 5;

    private final Articles articles;
    private final ReadCounter counter;

    ArticlePage(Articles articles, ReadCounter counter) {
        this.articles = articles;
        this.counter = counter;
    }

    @GetMapping("/main/read.nhn")
    @EsiPage(ttl = "5m", stale = "30s", staleIfError = "1h", tags = "article-#{#aid}")
    String read(
            @RequestParam String oid, @RequestParam String aid, Model model, EsiResponse response) {
        var article = find(oid, aid);
        var related = articles.related(article, RELATED);
        response.tag(Summary.tags(related));
        response.tag("newsroom-" + oid + "-" + article.section().sid());
        counter.count(aid);
        model.addAttribute("article", article);
        model.addAttribute("summary", article.summary());
        model.addAttribute("related", related);
        return "article";
    }

    private Article find(String oid, String aid) {
        if (!ArticleId.isValid(oid, aid)) {
            throw new ResponseStatusException(
                    HttpStatus.NOT_FOUND, "expected oid of 3 and aid of 10 digits");
        }
        return articles.find(new ArticleId(oid, aid))
                .orElseThrow(() ->
                        new ResponseStatusException(
                                HttpStatus.NOT_FOUND, "there is no article with this oid and aid"));
    }
}
