package dev.quire.war;

import dev.quire.spring.EsiFragment;
import java.util.Map;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.util.HtmlUtils;

/** The pages rendered by views, and the fragments of all pages. */
@Controller
class Pages {

    /** The JSP sets its own policy. */
    @GetMapping("/page/jsp")
    ModelAndView jsp(@RequestParam String q) {
        return new ModelAndView("forward:/WEB-INF/jsp/page.jsp", Map.of("q", q));
    }

    /** Writes the name of the reader, from a cookie, at some moment. */
    @EsiFragment(ttl = "10s", stale = "0s")
    @GetMapping("/late/jsp/{size}/{moment}")
    ModelAndView late(@PathVariable int size, @PathVariable String moment) {
        return new ModelAndView(
                "forward:/WEB-INF/jsp/late.jsp", Map.of("size", size, "moment", moment));
    }

    @EsiFragment(ttl = "10s", stale = "0s")
    @GetMapping("/page/thymeleaf")
    ModelAndView thymeleaf(@RequestParam String q) {
        return new ModelAndView("page", Map.of("q", q));
    }

    @EsiFragment(ttl = "10m")
    @GetMapping("/fragment/own")
    @ResponseBody
    String own() {
        return "<b>own</b>";
    }

    @GetMapping("/fragment/echo")
    @ResponseBody
    String echo(@RequestParam String q) {
        return "<b>" + HtmlUtils.htmlEscape(q) + "</b>";
    }

    /** A fragment that no page of this application includes. */
    @GetMapping("/evil")
    @ResponseBody
    String evil() {
        return "EXECUTED";
    }
}
