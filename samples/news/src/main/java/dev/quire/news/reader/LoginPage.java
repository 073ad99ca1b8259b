package dev.quire.news.reader;

import dev.quire.spring.EsiFragment.Scope;
import dev.quire.spring.EsiPage;
import java.util.TreeMap;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** {@code /login}: a form, and the accounts to try the site. */
@Controller
class LoginPage {
    private final ReaderProperties properties;

    LoginPage(ReaderProperties properties) {
        this.properties = properties;
    }

    @GetMapping("/login")
    @EsiPage(ttl = "0s", scope = Scope.PRIVATE)
    String login(@RequestParam(required = false) String error, Model model) {
        model.addAttribute("failed", error != null);
        model.addAttribute("readers", new TreeMap<>(properties.readers()));
        model.addAttribute("editors", new TreeMap<>(properties.editors()));
        return "login";
    }
}
