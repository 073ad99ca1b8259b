package dev.quire.news.editor;

import dev.quire.news.article.Article;
import dev.quire.news.article.ArticleId;
import dev.quire.news.article.Articles;
import dev.quire.news.article.Section;
import dev.quire.news.place.Region;
import dev.quire.spring.EsiFragment.Scope;
import dev.quire.spring.EsiPage;
import java.security.Principal;
import java.util.Optional;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;

/** {@code /editor/…}: the list of articles, and the form to edit one. */
@Controller
@RequestMapping("/editor")
@EsiPage(ttl = "0s", scope = Scope.PRIVATE)
class EditorPages {
    private static final int STORIES_OF_A_PAGE = 25;

    private final Articles articles;
    private final Revisions revisions;
    private final Newsdesk desk;

    EditorPages(Articles articles, Revisions revisions, Newsdesk desk) {
        this.articles = articles;
        this.revisions = revisions;
        this.desk = desk;
    }

    @GetMapping("/index.nhn")
    String index(@RequestParam(defaultValue = "100") int sid, Model model) {
        var section = section(sid);
        model.addAttribute("section", section);
        model.addAttribute("sections", Section.values());
        model.addAttribute("stories", articles.latest(section, STORIES_OF_A_PAGE, 0));
        return "editor/index";
    }

    @GetMapping("/edit.nhn")
    ModelAndView edit(@RequestParam String oid, @RequestParam String aid) {
        var article = find(oid, aid);
        return form(article, revisions.last(article.id()), Draft.of(article), Optional.empty());
    }

    @PostMapping("/edit.nhn")
    ModelAndView save(
            @RequestParam String oid,
            @RequestParam String aid,
            @RequestParam int revision,
            @RequestParam String headline,
            @RequestParam String standfirst,
            @RequestParam String body,
            Principal editor) {
        var article = find(oid, aid);
        var draft = new Draft(headline, standfirst, body);
        if (draft.problem().isPresent()) {
            return refused(form(article, revision, draft, draft.problem()), HttpStatus.BAD_REQUEST);
        }
        try {
            desk.save(article, revision, draft, editor.getName());
        } catch (DuplicateKeyException overtaken) {
            return refused(
                    form(
                            article,
                            revision,
                            draft,
                            Optional.of(
                                    "Another editor has saved this article since you opened it."
                                            + " Your changes were not saved; open it again to see"
                                            + " its current text.")),
                    HttpStatus.CONFLICT);
        }
        return new ModelAndView("redirect:" + article.id().url());
    }

    @GetMapping("/new.nhn")
    ModelAndView sheet(@RequestParam(defaultValue = "100") int sid) {
        return sheet(Region.SEOUL, section(sid), false, Draft.empty(), Optional.empty());
    }

    @PostMapping("/new.nhn")
    ModelAndView publish(
            @RequestParam String oid,
            @RequestParam int sid,
            @RequestParam(defaultValue = "false") boolean election,
            @RequestParam String headline,
            @RequestParam String standfirst,
            @RequestParam String body,
            Principal editor) {
        var newsroom =
                Region.ofOid(oid)
                        .orElseThrow(() ->
                                new ResponseStatusException(
                                        HttpStatus.BAD_REQUEST, "oid: there is no such newsroom"));
        var section = section(sid);
        var draft = new Draft(headline, standfirst, body);
        if (draft.problem().isPresent()) {
            return refused(
                    sheet(newsroom, section, election, draft, draft.problem()),
                    HttpStatus.BAD_REQUEST);
        }
        try {
            var id = desk.publish(newsroom, section, election, draft, editor.getName());
            return new ModelAndView("redirect:" + id.url());
        } catch (DuplicateKeyException overtaken) {
            return refused(
                    sheet(
                            newsroom,
                            section,
                            election,
                            draft,
                            Optional.of("Another article was published just now. Try again.")),
                    HttpStatus.CONFLICT);
        }
    }

    private static ModelAndView form(
            Article article, int revision, Draft draft, Optional<String> problem) {
        return filled("Edit an article", draft, problem)
                .addObject("article", article.summary())
                .addObject("revision", revision);
    }

    private static ModelAndView sheet(
            Region newsroom,
            Section section,
            boolean election,
            Draft draft,
            Optional<String> problem) {
        return filled("New article", draft, problem)
                .addObject("newsroom", newsroom)
                .addObject("section", section)
                .addObject("election", election)
                .addObject("newsrooms", Region.values())
                .addObject("sections", Section.values());
    }

    private static ModelAndView filled(String title, Draft draft, Optional<String> problem) {
        return new ModelAndView("editor/form")
                .addObject("title", title)
                .addObject("draft", draft)
                .addObject("problem", problem.orElse(null));
    }

    private static ModelAndView refused(ModelAndView form, HttpStatusCode status) {
        form.setStatus(status);
        return form;
    }

    private static Section section(int sid) {
        return Section.ofSid(sid)
                .orElseThrow(() ->
                        new ResponseStatusException(
                                HttpStatus.NOT_FOUND, "sid: there is no such section"));
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
