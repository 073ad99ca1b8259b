package dev.quire.news.article;

import dev.quire.spring.EsiFragment;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.server.ResponseStatusException;

/** The actions on an article; three variants, for visitors, readers and editors. */
@Controller
class ArticleTools {
    @GetMapping("/fragment/tools")
    @EsiFragment(
            ttl = "1d",
            staleIfError = "1d",
            tags = "frame",
            vary = {"login", "role"})
    String tools(@RequestParam String oid, @RequestParam String aid, Model model) {
        if (!ArticleId.isValid(oid, aid)) {
            throw new ResponseStatusException(
                    HttpStatus.NOT_FOUND, "expected oid of 3 and aid of 10 digits");
        }
        model.addAttribute("article", new ArticleId(oid, aid));
        return "fragment/tools";
    }
}
