package dev.quire.test.memory;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.PageLifetime;
import dev.quire.core.policy.PageTag;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the head of one assembled page will say: gathered from its parts as they come. It always
 * waits for all of them, as the proxy's does if they are there at once. On the page's thread.
 */
final class AssembledHead {
    private final Kept page;
    private final Supplier<Instant> clock;
    private final boolean needsAllParts;
    private final PageTag tag = new PageTag();
    private final List<String> varies = new ArrayList<>();
    private final List<String> cookies = new ArrayList<>();
    private Instant now;
    private ClientLifetime partsLifetime = ClientLifetime.UNRESTRICTED;
    private Amendment amendment = Amendment.NONE;
    private boolean hasPrivatePart;
    private boolean hasOmission;

    /** What is said in the end. */
    record Said(
            Kept page,
            Amendment amendment,
            String cacheControl,
            @Nullable String tag,
            List<String> varies,
            List<String> cookies) {
        int status() {
            return amendment.status() == 0 ? page.status() : amendment.status();
        }
    }

    /**
     * @param clock monotonic, of the cache
     * @param isHeld whether the page waits for all of its parts in any case
     */
    AssembledHead(Kept page, Supplier<Instant> clock, boolean isHeld) {
        this.page = page;
        this.clock = clock;
        this.now = clock.get();
        this.needsAllParts = isHeld || PageLifetime.needsAllParts(page.lifetimeAt(now));
        this.hasPrivatePart = !page.isShared();
    }

    void joined(Kept fragment) {
        hasPrivatePart |= !fragment.isShared();
        if (fragment.isShared() || needsAllParts) {
            keepTime();
            partsLifetime = partsLifetime.and(fragment.lifetimeAt(now));
        }
        if (fragment.isShared()) {
            varyAs(fragment);
        }
    }

    void isPersonal() {
        hasPrivatePart = true;
    }

    /** A fragment is missing, and that is an error. */
    void omitted() {
        hasOmission = true;
    }

    void setCookie(String value) {
        hasPrivatePart = true;
        cookies.add(value);
    }

    void amended(Amendment by) {
        amendment = by;
        hasPrivatePart |= by.setsCookie();
        by.fields()
                .forEach(field ->
                        tag.add((field.name() + ':' + field.value()).getBytes(ISO_8859_1)));
    }

    void wrote(Kept body, int start, int end) {
        var hash = body.hash();
        if (hash != null) {
            tag.add(hash, start, end);
        } else {
            tag.add(body.copy(start, end));
        }
    }

    void wrote(byte[] text) {
        tag.add(text);
    }

    /** What it says now that all has come and is written. */
    Said said() {
        keepTime();
        var set = amendment.lifetime();
        var own = set == null ? page.lifetimeAt(now) : set;
        var whole =
                PageLifetime.of(
                        own,
                        partsLifetime,
                        hasPrivatePart,
                        hasOmission || (amendment.isError() && !own.isReusable()));
        int status = amendment.status() == 0 ? page.status() : amendment.status();
        boolean hasTag = status >= 200 && status <= 299 && PageLifetime.mayHaveTag(whole);
        return new Said(
                page,
                amendment,
                whole.cacheControl(),
                hasTag ? tag.text() : null,
                List.copyOf(varies),
                List.copyOf(cookies));
    }

    /** What has been said of the parts grows old while others are waited for. */
    private void keepTime() {
        var before = now;
        now = clock.get();
        partsLifetime = partsLifetime.after(Duration.between(before, now));
    }

    /** What picks a fragment picks the page, for a cache between us and the reader. */
    private void varyAs(Kept fragment) {
        for (var field : fragment.selecting().fields()) {
            boolean isOfPage =
                    page.selecting().fields().stream()
                            .anyMatch(own -> own.name().equals(field.name()));
            if (!isOfPage && !varies.contains(field.name())) {
                varies.add(field.name());
            }
        }
    }
}
