package dev.quire.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Fields;
import dev.quire.test.internal.Assembled;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.TestClock;
import java.net.URI;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.FormElement;

/**
 * A site under test whose pages consist of fragments: an application and the assembler of its
 * pages, which is started with the first request. Each view of a site has one user and the test's
 * faults; {@link #as} and {@link #with} return other views of the same site, which share its cache.
 * A request returns when nothing that it started is in flight any more: tests never sleep.
 * Thread-safe.
 */
public final class EsiSite implements AutoCloseable {
    /** The controls of a form that a browser submits only after a click, or with a file. */
    private static final String NOT_FILLED_IN =
            "button, [type=submit], [type=button], [type=image], [type=reset], [type=file]";

    private final OpenSite site;
    private final User user;
    private final Faults faults;

    private EsiSite(OpenSite site, User user, Faults faults) {
        this.site = site;
        this.user = user;
        this.faults = faults;
    }

    /** The site of {@code application}, its pages assembled by {@link Assembling#PROXY}. */
    public static EsiSite over(Application application) {
        return new EsiSite(
                new OpenSite(application, Assembling.PROXY), User.anonymous(), Faults.none());
    }

    /**
     * The site of the server at {@code application}, its pages assembled by {@link
     * Assembling#PROXY}.
     */
    public static EsiSite over(URI application) {
        return over(Application.at(application));
    }

    /** The site of an origin scripted by {@code routes}, behind the real proxy. */
    public static EsiSite scripted(Consumer<Origin> routes) {
        var origin = Origin.start();
        try {
            routes.accept(origin);
        } catch (RuntimeException | AssertionError failing) {
            origin.close();
            throw failing;
        }
        return over(new LiveApplication(origin.url(), null, origin::close));
    }

    /**
     * Sets how the pages of this site are assembled.
     *
     * @throws AssertionError if a page was already requested
     */
    public EsiSite assembledBy(Assembling how) {
        site.assembledBy(how);
        return this;
    }

    /**
     * Sets the clock of this site.
     *
     * @throws AssertionError if a page was already requested
     */
    public EsiSite at(TestClock clock) {
        site.at(clock);
        return this;
    }

    /** The same site as {@code other} sees it. */
    public EsiSite as(User other) {
        return new EsiSite(site, other, faults);
    }

    /**
     * The same view, with its user logged in now instead of with the next request. The answer to a
     * login may remove stored pages: the one it redirects to (RFC 9111 §4.4).
     */
    public EsiSite loggedIn() {
        logIn();
        return this;
    }

    public EsiSite with(Faults others) {
        return new EsiSite(site, user, others);
    }

    Faults faults() {
        return faults;
    }

    public User user() {
        return user;
    }

    /** The clock of the site: advancing it ages all stored responses. */
    public TestClock clock() {
        return site.clock();
    }

    String assembler() {
        return site.surrogate().name();
    }

    public boolean hasCache() {
        return site.surrogate().hasCache();
    }

    /**
     * Requests the page at {@code path}.
     *
     * @param path with its query, or the name of a handler
     * @param namesAndValues more fields of the request
     * @throws AssertionError if there is no valid response
     */
    public Page get(String path, String... namesAndValues) {
        return ask("GET", targetOf(path), Fields.of(namesAndValues), Content.of(new byte[0]));
    }

    /** Submits a form; its CSRF token is not added, see {@link #submit}. */
    public Page post(String path, Map<String, String> form) {
        var body =
                form.entrySet().stream()
                        .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                        .collect(Collectors.joining("&"));
        return ask(
                "POST",
                path,
                Fields.of("Content-Type", "application/x-www-form-urlencoded"),
                Content.of(body.getBytes(UTF_8)));
    }

    /**
     * Fills in the first form of {@code page} matching {@code selector} and submits it, with its
     * hidden fields and CSRF token.
     *
     * @throws AssertionError if the page has no such form
     */
    public Page submit(Page page, String selector, Map<String, String> values) {
        if (!(page.dom().selectFirst(selector) instanceof FormElement form)) {
            throw new AssertionError(
                    "expected a form '%s' at %s, found %s"
                            .formatted(
                                    selector,
                                    page.asked().target(),
                                    page.dom().select("form").stream()
                                            .map(Element::cssSelector)
                                            .toList()));
        }
        return submit(page, form, values);
    }

    Page submit(Page page, FormElement form, Map<String, String> values) {
        form.select(NOT_FILLED_IN).attr("disabled", "");
        form.select("option:not([value])").forEach(option -> option.attr("value", option.text()));
        Map<String, String> all = new LinkedHashMap<>();
        form.formData().forEach(field -> all.put(field.key(), field.value()));
        all.putAll(values);
        var action = form.attr("action").isEmpty() ? page.asked().target() : form.absUrl("action");
        return post(target(URI.create(action)), all);
    }

    /**
     * Requests the page that {@code page} redirects to, by GET.
     *
     * @throws AssertionError if it does not redirect
     */
    public Page follow(Page page) {
        var location = page.headers().first("Location");
        if (location == null || page.status() < 300 || page.status() > 399) {
            throw new AssertionError(
                    "expected a redirect of %s, found %d"
                            .formatted(page.asked().target(), page.status()));
        }
        return get(target(URI.create(page.asked().target()).resolve(location)));
    }

    /**
     * Requests {@code path} by {@code readers} readers at the same time and returns one page for
     * each. The first replies of the application are held until all requests are in flight, some
     * 200 ms for each target, so no request finds a stored response.
     */
    public List<Page> together(int readers, String path) {
        if (readers < 1) {
            throw new IllegalArgumentException("expected at least one reader, found " + readers);
        }
        var running = site.surrogate();
        logIn();
        var request = request("GET", targetOf(path), Fields.EMPTY, Content.of(new byte[0]));
        var start = site.startPage();
        var stampede = new Stampede(readers);
        Callable<Assembled> reader =
                () -> {
                    stampede.setsOut();
                    return running.ask(request);
                };
        var usual = site.application().faults(faults);
        site.application().stampede(stampede);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<Assembled>();
            for (var answer : threads.invokeAll(Collections.nCopies(readers, reader))) {
                answers.add(answer.get());
            }
            return answers.stream()
                    .map(assembled -> site.addPage(this, running, request, assembled, start))
                    .toList();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while readers wait for " + path, e);
        } catch (ExecutionException e) {
            throw new AssertionError(
                    "one of %d readers did not get %s: %s".formatted(readers, path, e.getCause()),
                    e.getCause());
        } finally {
            site.application().stampede(null);
            site.application().faults(usual);
        }
    }

    /**
     * Requests the application itself as this user, as a surrogate would, bypassing the cache.
     *
     * @throws AssertionError if it gives no complete response
     */
    public Response ask(String path, String... namesAndValues) {
        return askBy("GET", path, namesAndValues);
    }

    /** As {@link #ask}, with another method. */
    Response askBy(String method, String path, String... namesAndValues) {
        logIn();
        var request =
                request(
                        method,
                        targetOf(path),
                        new Fields.Builder()
                                .add("Surrogate-Capability", "quire=\"Surrogate/1.0 ESI/1.0\"")
                                .addAll(Fields.of(namesAndValues))
                                .build(),
                        Content.of(new byte[0]));
        if (site.application().answer(request) instanceof Reply.Whole(var response)) {
            return response;
        }
        throw new AssertionError("expected a response of the application to " + request);
    }

    public void purgeTags(String... tags) {
        site.surrogate().purgeTags(tags);
    }

    public void purge(String... targets) {
        site.surrogate().purge(targets);
    }

    /**
     * The handlers that the application declares cacheable.
     *
     * @throws AssertionError if they are unknown
     */
    public List<FragmentHandler> fragments() {
        return site.application()
                .fragments()
                .orElseThrow(() ->
                        new AssertionError(
                                "the handlers of %s are unknown (name paths, or open the site over the application's context: @AutoConfigureEsi)"
                                        .formatted(site.application().authority())));
    }

    Set<String> takeFieldsRead() {
        return site.application().takeFieldsRead();
    }

    List<FragmentHandler> declared() {
        return site.application().fragments().orElse(List.of());
    }

    public List<ApplicationRequest> requests() {
        return site.application().since(0);
    }

    /** Ends the session of {@code user} by deleting the user's cookies. */
    public void forget(User other) {
        site.forget(other);
    }

    public Map<String, String> cookies() {
        return site.cookies(user);
    }

    /** Stores the cookies that {@code lines} of Set-Cookie set for this user. */
    void keepCookies(List<String> lines) {
        site.keepCookies(user, lines);
    }

    public List<Page> pages() {
        return site.pages();
    }

    /** Resets the site: empties the cache, logs out all users, and clears the requests. */
    public void reset() {
        site.reset();
    }

    /** A view whose leak check begins now, and has to finish. */
    EsiSite beginCheck() {
        var view = as(user);
        site.begin(view);
        return view;
    }

    void finishCheck() {
        site.finish(this);
    }

    /**
     * Requires that each {@link LeakDetector} of this site has made its check.
     *
     * @throws AssertionError naming the lines of the others, which are then forgotten
     */
    public void requireFinished() {
        site.requireFinished();
    }

    /**
     * Closes the site for all views.
     *
     * @throws AssertionError as {@link #requireFinished}
     */
    @Override
    public void close() {
        site.close();
    }

    /** The target named by {@code pathOrName}: the path itself, or the path of that handler. */
    String targetOf(String pathOrName) {
        if (pathOrName.startsWith("/")) {
            return pathOrName;
        }
        var handlers = declared();
        return handlers.stream()
                .filter(handler -> handler.name().equals(pathOrName))
                .flatMap(handler -> handler.example().stream())
                .findFirst()
                .orElseThrow(() ->
                        new AssertionError(
                                "'%s' is neither a path nor a handler of the application (expected a path that starts with '/', or one of %s)"
                                        .formatted(
                                                pathOrName,
                                                handlers.stream()
                                                        .map(FragmentHandler::name)
                                                        .toList())));
    }

    private Page ask(String method, String target, Fields fields, Content body) {
        logIn();
        return site.ask(this, request(method, target, fields, body), faults);
    }

    private void logIn() {
        if (site.mustLogIn(user)) {
            try {
                user.login().logIn(this);
            } catch (RuntimeException | AssertionError notIn) {
                site.forget(user);
                throw notIn;
            }
        }
    }

    private Request request(String method, String target, Fields fields, Content body) {
        var all =
                new Fields.Builder()
                        .add("Host", site.application().authority())
                        .addAll(user.fieldsWith(site.cookies(user)))
                        .addAll(fields);
        var request = new Request(method, target, all.build(), body);
        return request.field("Accept") == null
                ? request.with(all.add("Accept", "text/html,*/*;q=0.8").build())
                : request;
    }

    private static String target(URI place) {
        var path = place.getRawPath();
        var query = place.getRawQuery();
        return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }
}
