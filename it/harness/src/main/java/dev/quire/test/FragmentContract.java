package dev.quire.test;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.SignedVariant;
import dev.quire.core.policy.SurrogateControl;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.internal.Excerpt;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/**
 * The contract between a fragment and the pages and caches that use it, checked on the application
 * itself, as the user of the site: see {@link ContractRule}. It applies to pages as well, except
 * that those may be documents. Sends GET, HEAD, POST with an empty body, and requests with invalid
 * arguments.
 */
public final class FragmentContract {
    private static final long TAG_LIMIT_BYTES = 16 * 1024;
    private static final List<String> TAG_FIELDS =
            List.of("Surrogate-Key", "xkey", "Cache-Tag", "X-Cache-Tags");
    private static final Pattern DOCUMENT =
            Pattern.compile("<(?:!doctype|html|head|body)[\\s>/]", Pattern.CASE_INSENSITIVE);
    private static final Pattern LIFETIME =
            Pattern.compile("\\b(?:max-age|s-maxage)\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern ESI = Pattern.compile("<esi:[a-z]+|<!--esi\\b");

    private final EsiSite site;
    private final List<BrokenContract.Breach> breaches = new ArrayList<>();

    private FragmentContract(EsiSite site) {
        this.site = site;
    }

    /**
     * Checks these targets. A target that is not a page of a known handler is checked as a
     * fragment.
     *
     * @param pathsOrNames paths with their query, or names of handlers
     * @throws BrokenContract if one breaks a rule
     */
    public static void verify(EsiSite site, String... pathsOrNames) {
        var targets = new LinkedHashSet<String>();
        for (var each : pathsOrNames) {
            targets.add(site.targetOf(each));
        }
        if (targets.isEmpty()) {
            throw new IllegalArgumentException("no paths given (expected for example \"/live\")");
        }
        var contract = new FragmentContract(site);
        for (var target : targets) {
            contract.check(target, handlerOf(site, target));
        }
        contract.verified(targets.size());
    }

    /**
     * Checks every handler that the application declares, except private pages, which are not
     * included anywhere.
     *
     * @param examples targets of handlers whose argument values are unknown
     * @return the checked targets
     * @throws BrokenContract if one breaks a rule, or needs an example
     * @throws AssertionError if the application declares no handler, or its handlers are unknown
     */
    public static List<String> verifyAll(EsiSite site, String... examples) {
        var contract = new FragmentContract(site);
        var handlers =
                site.fragments().stream()
                        .filter(handler -> handler.isPublic() || !handler.isPage())
                        .toList();
        if (handlers.isEmpty()) {
            throw new AssertionError(
                    "nothing to check: the application declares no handler (expected @EsiFragment or @EsiPage on handlers; or name paths: FragmentContract.verify(site, \"/live\"))");
        }
        for (var example : examples) {
            if (handlers.stream().noneMatch(handler -> handler.answers(example))) {
                throw new AssertionError(
                        "the example %s matches no declared path (expected one of %s)"
                                .formatted(
                                        example,
                                        handlers.stream()
                                                .flatMap(handler -> handler.paths().stream())
                                                .toList()));
            }
        }
        var targets = new LinkedHashSet<String>();
        for (var handler : handlers) {
            var own =
                    Stream.concat(
                                    handler.example().stream(),
                                    Stream.of(examples).filter(handler::answers))
                            .toList();
            if (own.isEmpty()) {
                contract.breaches.add(
                        new BrokenContract.Breach(
                                handler.name(),
                                Optional.of(handler),
                                ContractRule.ASKED,
                                handler.missing().isEmpty()
                                        ? "a path pattern: " + handler.paths()
                                        : "no value for " + String.join(", ", handler.missing())));
            }
            for (var target : own) {
                if (targets.add(target)) {
                    contract.check(target, handler);
                }
            }
        }
        contract.verified(targets.size());
        return List.copyOf(targets);
    }

    private static @Nullable FragmentHandler handlerOf(EsiSite site, String target) {
        return site.declared().stream()
                .filter(handler -> handler.answers(target))
                .findFirst()
                .orElse(null);
    }

    private void verified(int asked) {
        if (!breaches.isEmpty()) {
            throw new BrokenContract(asked, breaches);
        }
    }

    private void check(String target, @Nullable FragmentHandler handler) {
        var checked = new Checked(target, handler, breaches);
        var response = ask("GET", target);
        int status = response.status();
        if (status >= 300 && status < 400) {
            checked.breaks(ContractRule.NO_REDIRECT, status + " to " + response.field("Location"));
            return;
        }
        if (status >= 400) {
            checked.breaks(ContractRule.ANSWERS, status + " to GET " + target);
            return;
        }
        var answer = SharedAnswer.of(site.user(), target, Fields.EMPTY, response);
        methods(checked, answer);
        for (var line : response.fields().all("Set-Cookie")) {
            checked.breaks(ContractRule.NO_COOKIE, "Set-Cookie: " + line);
        }
        body(checked, response, answer.isShared());
        wrongArguments(checked, answer);
        caching(checked, answer);
        tags(checked, response);
        contentType(checked, response);
    }

    private void methods(Checked checked, SharedAnswer get) {
        int head = ask("HEAD", checked.target()).status();
        if (head != get.response().status()) {
            checked.breaks(
                    ContractRule.HEAD_AS_GET,
                    head + " to HEAD, " + get.response().status() + " to GET");
        }
        var post = ask("POST", checked.target());
        var posted = SharedAnswer.of(site.user(), checked.target(), Fields.EMPTY, post);
        if (post.status() < 300 && posted.isShared()) {
            checked.breaks(ContractRule.READ_ONLY, post.status() + ", " + posted.said());
        }
    }

    private void body(Checked checked, Response response, boolean isShared) {
        var text = response.text();
        var document = DOCUMENT.matcher(text);
        if (!checked.isPage() && isHtml(response) && document.find()) {
            checked.breaks(ContractRule.NO_DOCUMENT, document.group().strip());
        }
        if (isShared && isMarkup(response)) {
            var tree = DomDifference.tree(text);
            first(Tokens.nonces(tree))
                    .ifPresent(spot -> checked.breaks(ContractRule.NO_NONCE, spot));
            first(Tokens.csrf(tree))
                    .ifPresent(spot -> checked.breaks(ContractRule.NO_CSRF_TOKEN, spot));
        }
        var tag = ESI.matcher(text);
        if (tag.find() && !SurrogateControl.of(response.fields(), "quire").asksForEsi()) {
            checked.breaks(
                    ContractRule.DECLARED_ESI,
                    "%s, and Surrogate-Control: %s"
                            .formatted(
                                    tag.group(),
                                    response.fields().all("Surrogate-Control").isEmpty()
                                            ? "(none)"
                                            : String.join(
                                                    ", ",
                                                    response.fields().all("Surrogate-Control"))));
        }
    }

    private static Optional<String> first(List<Tokens.Spot> spots) {
        return spots.stream().findFirst().map(spot -> spot.value() + " at " + spot.place());
    }

    private void wrongArguments(Checked checked, SharedAnswer usual) {
        boolean isUsuallySo = ErrorText.isLike(tree(usual.response()));
        for (var wrong : WrongArgument.of(checked.target())) {
            var response = ask("GET", wrong.target());
            var answer = SharedAnswer.of(site.user(), wrong.target(), Fields.EMPTY, response);
            if (response.status() < 300 && !isUsuallySo && ErrorText.isLike(tree(response))) {
                checked.breaks(
                        ContractRule.REAL_STATUS,
                        "%d for %s: %s"
                                .formatted(
                                        response.status(),
                                        wrong.what(),
                                        Excerpt.of(tree(response).text())));
            }
            if (response.status() >= 400 && answer.isShared() && !answer.lifetime().isZero()) {
                checked.breaks(
                        ContractRule.NO_KEPT_ERROR,
                        "%d for %s, %s".formatted(response.status(), wrong.what(), answer.said()));
            }
        }
    }

    private static Element tree(Response response) {
        return DomDifference.tree(response.text());
    }

    private void caching(Checked checked, SharedAnswer answer) {
        var handler = checked.handler();
        if (answer.isShared()) {
            boolean isExplicit =
                    LIFETIME.matcher(answer.said()).find()
                            || answer.response().fields().contains("Expires");
            if (!isExplicit) {
                checked.breaks(ContractRule.LIFETIME, answer.said());
            }
        } else if (handler == null) {
            if (answer.said().startsWith("no caching fields")) {
                checked.breaks(ContractRule.LIFETIME, answer.said());
            }
        } else if (handler.isPublic()
                && handler.variants().isEmpty()
                && handler.ttl().filter(time -> !time.isZero()).isPresent()) {
            var reason = answer.response().field("X-Quire-Guard");
            checked.breaks(
                    ContractRule.KEPT, answer.said() + (reason == null ? "" : " (" + reason + ")"));
        }
    }

    private void tags(Checked checked, Response response) {
        long bytes = 0;
        for (var name : TAG_FIELDS) {
            for (var line : response.fields().all(name)) {
                bytes += line.length();
                boolean isComma = name.equals("Cache-Tag") || name.equals("X-Cache-Tags");
                boolean isUsable =
                        line.chars().allMatch(c -> c >= ' ' && c < 0x7f)
                                && (isComma || line.indexOf(',') < 0);
                if (!isUsable) {
                    checked.breaks(ContractRule.TAGS, name + ": " + Excerpt.of(line));
                }
            }
        }
        if (bytes > TAG_LIMIT_BYTES) {
            checked.breaks(
                    ContractRule.TAGS,
                    "%d bytes of tags (expected at most %d)".formatted(bytes, TAG_LIMIT_BYTES));
        }
    }

    private void contentType(Checked checked, Response response) {
        var type = response.field("Content-Type");
        if (response.status() == 204 || response.body().length() == 0) {
            return;
        }
        if (type == null) {
            checked.breaks(ContractRule.CONTENT_TYPE, "no Content-Type");
        } else if (isHtml(response) && !type.toLowerCase(Locale.ROOT).contains("charset=")) {
            checked.breaks(ContractRule.CONTENT_TYPE, "Content-Type: " + type);
        }
    }

    private static boolean isHtml(Response response) {
        var type = response.field("Content-Type");
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("text/html");
    }

    private static boolean isMarkup(Response response) {
        var type = response.field("Content-Type");
        return type == null || type.contains("html") || type.contains("xml");
    }

    private Response ask(String method, String target) {
        return site.askBy(method, target, SignedVariant.FIELD, SignedVariant.NONE);
    }

    /**
     * The target being checked.
     *
     * @param handler null if unknown
     */
    private record Checked(
            String target,
            @Nullable FragmentHandler handler,
            List<BrokenContract.Breach> breaches) {
        boolean isPage() {
            return handler != null && handler.isPage();
        }

        void breaks(ContractRule rule, String seen) {
            breaches.add(
                    new BrokenContract.Breach(target, Optional.ofNullable(handler), rule, seen));
        }
    }
}
