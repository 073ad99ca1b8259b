package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.rule.FixedAnswer;
import java.util.function.Consumer;

/** Follows a limited number of redirects of one fragment (RFC 9110 §15.4). */
final class FragmentRedirects {
    private final Lookup asked;
    private final Pages.Fragments page;
    private int followed;

    /**
     * @param asked the fragment as included
     */
    FragmentRedirects(Lookup asked, Pages.Fragments page) {
        this.asked = asked;
        this.page = page;
    }

    sealed interface Target {
        record Next(Lookup lookup) implements Target {}

        /** The content of a rule. */
        record Answered(FixedAnswer content) implements Target {}

        record Refused(Failure failure) implements Target {}
    }

    /**
     * Finds the target of {@code received}, the response to {@code lookup}. Returns false if it is
     * not a redirect.
     *
     * @param answer called once with the target, possibly before this returns
     */
    boolean follow(Lookup lookup, ResponseHead received, Consumer<Target> answer) {
        int status = received.status();
        var inclusion = asked.inclusion();
        var location = received.fields().first("location");
        if (location == null || inclusion == null || !inclusion.terms().follows(status, location)) {
            return false;
        }
        if (followed++ == FragmentTerms.MAX_REDIRECTS) {
            var detail =
                    asked.key().url()
                            + " redirects more than "
                            + FragmentTerms.MAX_REDIRECTS
                            + " times";
            answer.accept(
                    new Target.Refused(new Failure(Side.ORIGIN, Kind.STATUS, status, detail)));
        } else {
            page.redirect(lookup, status, location, found -> answer.accept(target(lookup, found)));
        }
        return true;
    }

    private static Target target(Lookup lookup, Pages.Redirect found) {
        return switch (found) {
            case Pages.Redirect.To(var next) -> new Target.Next(next);
            case Pages.Redirect.Answered(var content) -> new Target.Answered(content);
            case Pages.Redirect.Refused(var why) ->
                    new Target.Refused(
                            new Failure(
                                    Side.PROXY,
                                    Kind.DENIED,
                                    lookup.key().url() + ": redirect refused: " + why));
        };
    }
}
