package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a page's request for a fragment of another scheme, host or port: a view, filtered
 * on access. It has few fields of the client, none of them a credential, and X-Forwarded-Proto and
 * X-Forwarded-Host of the fragment. Immutable.
 *
 * @param page the fields of the page's {@link EffectiveRequest}
 * @param edited what rules have made of {@link #remaining}; null without changes by rules
 */
public record OtherHostFields(Fields page, @Nullable Fields edited, CacheKey fragment)
        implements Fields {

    /** Returns the fields of {@code page} that other hosts get, for rules to edit. */
    public static Fields remaining(Fields page) {
        return page.without(name -> !RequestFields.goesToOtherHosts(name));
    }

    @Override
    public @Nullable String first(String name) {
        var own = own(name);
        if (own != null) {
            return own;
        }
        if (edited != null) {
            return edited.first(name);
        }
        return RequestFields.goesToOtherHosts(name) ? page.first(name) : null;
    }

    @Override
    public List<String> all(String name) {
        var own = own(name);
        if (own != null) {
            return List.of(own);
        }
        if (edited != null) {
            return edited.all(name);
        }
        return RequestFields.goesToOtherHosts(name) ? page.all(name) : List.of();
    }

    @Override
    public void forEach(BiConsumer<String, String> line) {
        if (edited != null) {
            edited.forEach(line);
        } else {
            page.forEach((name, value) -> {
                if (RequestFields.goesToOtherHosts(name)) {
                    line.accept(name, value);
                }
            });
        }
        line.accept(EffectiveRequest.FORWARDED_PROTO, fragment.scheme().text());
        line.accept(EffectiveRequest.FORWARDED_HOST, fragment.authority());
    }

    private @Nullable String own(String name) {
        if (name.equalsIgnoreCase(EffectiveRequest.FORWARDED_PROTO)) {
            return fragment.scheme().text();
        }
        return name.equalsIgnoreCase(EffectiveRequest.FORWARDED_HOST) ? fragment.authority() : null;
    }
}
