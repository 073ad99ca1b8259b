package dev.quire.news.reader;

import dev.quire.news.article.Article;
import dev.quire.news.article.ArticleId;
import dev.quire.news.article.Articles;
import dev.quire.spring.EsiFragment.Scope;
import dev.quire.spring.EsiPage;
import java.security.Principal;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.server.ResponseStatusException;

/** {@code /main/scrap/…}: the articles one reader keeps, and the forms to add and remove them. */
@Controller
@RequestMapping("/main/scrap")
class ScrapPages {
    private static final String BACK_TO_SCRAPS = "redirect:/main/scrap/index.nhn";

    private final Scraps scraps;
    private final Articles articles;

    ScrapPages(Scraps scraps, Articles articles) {
        this.scraps = scraps;
        this.articles = articles;
    }

    /** The kept articles; {@code oid} and {@code aid} offer to keep one more. */
    @GetMapping("/index.nhn")
    @EsiPage(ttl = "0s", scope = Scope.PRIVATE)
    String index(
            @RequestParam Optional<String> oid,
            @RequestParam Optional<String> aid,
            Principal reader,
            Model model) {
        if (oid.isPresent() && aid.isPresent()) {
            var article = find(oid.get(), aid.get());
            if (!scraps.has(reader.getName(), article.id())) {
                model.addAttribute("offered", article.summary());
            }
        }
        model.addAttribute("reader", reader.getName());
        model.addAttribute("scraps", scraps.of(reader.getName()));
        return "scrap";
    }

    @PostMapping("/add.nhn")
    String add(@RequestParam String oid, @RequestParam String aid, Principal reader) {
        scraps.add(reader.getName(), find(oid, aid).id());
        return BACK_TO_SCRAPS;
    }

    @PostMapping("/remove.nhn")
    String remove(@RequestParam String oid, @RequestParam String aid, Principal reader) {
        scraps.remove(reader.getName(), find(oid, aid).id());
        return BACK_TO_SCRAPS;
    }

    private Article find(String oid, String aid) {
        return Optional.of(aid)
                .filter(valid -> ArticleId.isValid(oid, aid))
                .flatMap(valid -> articles.find(new ArticleId(oid, aid)))
                .orElseThrow(() ->
                        new ResponseStatusException(
                                HttpStatus.NOT_FOUND, "there is no article with this oid and aid"));
    }
}
