package dev.quire.news.front;

import dev.quire.news.article.Section;
import dev.quire.spring.EsiFragment;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The frame of every page, which rarely changes. */
@Controller
class FrameFragments {
    @GetMapping("/fragment/footer")
    @EsiFragment(ttl = "1d", stale = "1h", staleIfError = "1d", tags = "frame")
    String footer(Model model) {
        model.addAttribute("sections", Section.values());
        return "fragment/footer";
    }
}
