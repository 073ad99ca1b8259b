package dev.quire.news.reader;

import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiFragment.Scope;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The personal parts of a page. Fetched on each request; private. */
@Controller
@ConditionalOnBooleanProperty(
        name = "news.shared-greeting",
        havingValue = false,
        matchIfMissing = true)
class ReaderFragments {
    private final Scraps scraps;

    ReaderFragments(Scraps scraps) {
        this.scraps = scraps;
    }

    @GetMapping("/fragment/greeting")
    @EsiFragment(ttl = "0s", scope = Scope.PRIVATE)
    String greeting(@Nullable Principal reader, HttpServletRequest request, Model model) {
        model.addAttribute("reader", name(reader).orElse(null));
        model.addAttribute("editor", request.isUserInRole("EDITOR"));
        return "fragment/greeting";
    }

    @GetMapping("/fragment/scrap-count")
    @EsiFragment(ttl = "0s", scope = Scope.PRIVATE)
    String scrapCount(@Nullable Principal reader, Model model) {
        model.addAttribute("scraps", name(reader).map(scraps::count).orElse(null));
        return "fragment/scrap-count";
    }

    private static Optional<String> name(@Nullable Principal reader) {
        return Optional.ofNullable(reader).map(Principal::getName);
    }
}
