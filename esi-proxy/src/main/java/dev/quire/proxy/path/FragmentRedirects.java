package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentTerms;
import dev.quire.core.http.ResponseHead;
import org.jspecify.annotations.Nullable;

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

        record Refused(Failure failure) implements Target {}
    }

    /**
     * The target of {@code received}, the response to {@code lookup}; null if it is not a redirect.
     */
    @Nullable Target of(Lookup lookup, ResponseHead received) {
        int status = received.status();
        var inclusion = asked.inclusion();
        var location = received.fields().first("location");
        if (location == null || inclusion == null || !inclusion.terms().follows(status, location)) {
            return null;
        }
        if (followed++ == FragmentTerms.MAX_REDIRECTS) {
            var detail =
                    asked.key().url()
                            + " redirects more than "
                            + FragmentTerms.MAX_REDIRECTS
                            + " times";
            return new Target.Refused(new Failure(Side.ORIGIN, Kind.STATUS, status, detail));
        }
        return switch (page.redirect(lookup, status, location)) {
            case Pages.Redirect.To(var next) -> new Target.Next(next);
            case Pages.Redirect.Refused(var why) ->
                    new Target.Refused(
                            new Failure(
                                    Side.PROXY,
                                    Kind.DENIED,
                                    lookup.key().url() + ": redirect refused: " + why));
        };
    }
}
