package dev.quire.spring;

import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/**
 * Handlers that set caching fields by hand, as without the starter, and handlers that declare the
 * same by annotation. The resulting behaviour on Boot and Tomcat was measured; the tests run them
 * with and without the starter.
 */
@Controller
class MeasuredFacts {

    private static final String PUBLIC = "public, max-age=30";

    @GetMapping("/facts/surrogate-control")
    @EsiFragment(ttl = "30s")
    @ResponseBody
    String surrogateControl(HttpServletResponse response) {
        response.setHeader("Surrogate-Control", "max-age=30");
        return "text";
    }

    @GetMapping("/facts/throws")
    @EsiFragment(ttl = "30s")
    @ResponseBody
    String fails(HttpServletResponse response) {
        response.setHeader("Cache-Control", PUBLIC);
        throw new IllegalStateException("on purpose");
    }

    @GetMapping("/facts/form")
    @EsiFragment(ttl = "30s")
    String form(HttpServletResponse response) {
        response.setHeader("Cache-Control", PUBLIC);
        return "form";
    }

    @GetMapping(path = "/facts/session-id", produces = Site.HTML)
    @EsiFragment(ttl = "30s")
    @ResponseBody
    String sessionId(HttpServletRequest request, HttpServletResponse response) {
        request.getSession();
        response.setHeader("Cache-Control", PUBLIC);
        return "<esi:include src=\"" + response.encodeURL("/fragments/spare") + "\"/>";
    }

    @GetMapping(path = "/facts/include-by-container", produces = Site.HTML)
    @EsiFragment(ttl = "30s")
    void include(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        response.setHeader("Cache-Control", PUBLIC);
        request.getRequestDispatcher("/session").include(request, response);
    }

    @GetMapping("/facts/header-removed")
    @ResponseBody
    String headerRemoved(HttpServletResponse response) {
        response.setHeader("X-Said", "yes");
        response.setHeader("X-Said", null);
        return "text";
    }

    /** Returns the filters that this request has passed, outermost first. */
    @GetMapping("/facts/filters")
    @ResponseBody
    String filters() {
        var passed =
                StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                        .walk(frames ->
                                frames.map(StackWalker.StackFrame::getDeclaringClass)
                                        .filter(Filter.class::isAssignableFrom)
                                        .map(Class::getName)
                                        .distinct()
                                        .toList());
        return String.join(" ", passed.reversed());
    }

    @GetMapping("/facts/speaks")
    @ResponseBody
    String speaks(EsiRequest request, EsiResponse response) {
        response.ttl(Duration.ofSeconds(30)).tag("facts").privateOnly();
        return Boolean.toString(request.surrogate());
    }
}
