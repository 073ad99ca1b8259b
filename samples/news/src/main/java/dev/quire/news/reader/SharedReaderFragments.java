package dev.quire.news.reader;

import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiVariant;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/**
 * The personal parts of a page, stored once for all readers who are not logged in. Those of a
 * member are private: the handler reads the user, so the guard makes the response private.
 */
@Controller
@ConditionalOnBooleanProperty(name = "news.shared-greeting")
class SharedReaderFragments {
    private static final String MEMBER = "member";

    private final ReaderFragments fragments;

    SharedReaderFragments(Scraps scraps) {
        this.fragments = new ReaderFragments(scraps);
    }

    @GetMapping("/fragment/greeting")
    @EsiFragment(ttl = "1d", staleIfError = "1d", tags = "frame", vary = "login")
    String greeting(@EsiVariant("login") String login, HttpServletRequest request, Model model) {
        return login.equals(MEMBER)
                ? fragments.greeting(request.getUserPrincipal(), request, model)
                : "fragment/greeting";
    }

    @GetMapping("/fragment/scrap-count")
    @EsiFragment(ttl = "1d", staleIfError = "1d", tags = "frame", vary = "login")
    String scrapCount(@EsiVariant("login") String login, HttpServletRequest request, Model model) {
        return login.equals(MEMBER)
                ? fragments.scrapCount(request.getUserPrincipal(), model)
                : "fragment/scrap-count";
    }
}
