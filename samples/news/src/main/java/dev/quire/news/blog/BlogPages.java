package dev.quire.news.blog;

import dev.quire.news.writing.Notebook;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.List;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.server.ResponseStatusException;

/**
 * {@code /blog/}: the newest posts, and {@code /blog/1/} and so on: one post. A page shows ten
 * posts, with four statements for each and one for their numbers.
 */
@Controller
class BlogPages {
    private static final int POSTS_OF_A_PAGE = 10;
    private static final CacheControl MINUTE =
            CacheControl.maxAge(Duration.ofMinutes(1)).cachePublic();

    private final Posts posts;
    private final Theme theme;
    private final Counter pages;

    BlogPages(Posts posts, Theme theme, MeterRegistry registry) {
        this.posts = posts;
        this.theme = theme;
        this.pages =
                Counter.builder("news.blog.pages")
                        .description("Pages of the blog")
                        .register(registry);
    }

    @GetMapping("/blog/")
    String newest(Model model, HttpServletResponse response) {
        model.addAttribute(
                "cards",
                posts.from(Notebook.POSTS, POSTS_OF_A_PAGE).stream().map(this::card).toList());
        return page("blog/index", response);
    }

    @GetMapping("/blog/{number}/")
    String post(@PathVariable int number, Model model, HttpServletResponse response) {
        var numbers = posts.from(number, POSTS_OF_A_PAGE);
        if (numbers.isEmpty() || numbers.getFirst() != number) {
            throw new ResponseStatusException(
                    HttpStatus.NOT_FOUND, "number: the blog does not have this post");
        }
        var comments = posts.comments(number);
        model.addAttribute("card", card(number, comments.size()));
        model.addAttribute("comments", comments);
        model.addAttribute("others", numbers.stream().skip(1).map(this::card).toList());
        model.addAttribute("newer", number < Notebook.POSTS ? List.of(number + 1) : List.of());
        model.addAttribute("older", number > 1 ? List.of(number - 1) : List.of());
        return page("blog/post", response);
    }

    private String page(String template, HttpServletResponse response) {
        pages.increment();
        theme.work();
        response.setHeader(HttpHeaders.CACHE_CONTROL, MINUTE.getHeaderValue());
        return template;
    }

    private Card card(int number) {
        return card(number, posts.countComments(number));
    }

    private Card card(int number, long comments) {
        var terms = posts.terms(number);
        var meta = posts.meta(number);
        return new Card(
                posts.post(number),
                terms,
                Cover.of(terms.category(), Integer.parseInt(meta.getOrDefault("cover", "0"))),
                Integer.parseInt(meta.getOrDefault("minutes", "1")),
                comments);
    }
}
