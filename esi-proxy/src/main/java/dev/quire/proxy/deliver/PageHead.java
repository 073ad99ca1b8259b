package dev.quire.proxy.deliver;

import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.ContentHash;
import dev.quire.core.policy.PageLifetime;
import dev.quire.core.policy.PageTag;
import dev.quire.proxy.cache.StoredResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the head of one assembled page will say: gathered from its parts as they come and are
 * written, until it leaves. On the exchange's loop.
 */
final class PageHead {

    /*
     * Nothing of the page's own validators is said: they speak of the document, and would hide a
     * fragment that has changed. There is an ETag only if the page is written to its last byte
     * before its head leaves and everybody gets the same; and never a Last-Modified, for which
     * "the newest of all parts" is no answer once a fragment goes or an older one takes its place.
     */

    /** What is said in the end. */
    record Said(
            StoredResponse page,
            Amendment amendment,
            String cacheControl,
            @Nullable String tag,
            List<String> varies,
            List<String> cookies,
            int errors) {

        int status() {
            return amendment.status() == 0 ? page.status() : amendment.status();
        }
    }

    /** A fragment that may yet turn out to be anything: nothing is promised. */
    private static final ClientLifetime UNKNOWN_PART =
            new ClientLifetime(false, false, true, false, Duration.ZERO);

    private final StoredResponse page;
    private final Supplier<Instant> clock;
    private final boolean needsAllParts;
    private final PageTag tag = new PageTag();
    private final List<String> varies = new ArrayList<>(0);
    private final List<String> cookies = new ArrayList<>(0);

    /** The moment that {@link #partsLifetime} speaks of. */
    private Instant now;

    private ClientLifetime partsLifetime = ClientLifetime.UNRESTRICTED;
    private Amendment amendment = Amendment.NONE;
    private boolean timePasses;
    private boolean hasPrivatePart;
    private boolean hasOmission;
    private int errors;

    /**
     * @param clock monotonic, of the cache
     * @param isHeld whether the page waits for all of its parts in any case
     */
    PageHead(StoredResponse page, Supplier<Instant> clock, boolean isHeld) {
        this.page = page;
        this.clock = clock;
        this.now = clock.get();
        this.needsAllParts = isHeld || PageLifetime.needsAllParts(page.clientLifetimeAt(now));
        this.hasPrivatePart = !page.isShared();
    }

    /** Whether it has to wait for every part, because they decide what it says. */
    boolean needsAllParts() {
        return needsAllParts;
    }

    /** Something is waited for, so what has been said of the parts grows old. */
    void timePasses() {
        timePasses = true;
    }

    void joined(StoredResponse fragment) {
        hasPrivatePart |= !fragment.isShared();
        // Whether a part of one client's own comes before the head of any other page is chance.
        if (fragment.isShared() || needsAllParts) {
            keepTime();
            partsLifetime = partsLifetime.and(fragment.clientLifetimeAt(now));
        }
        if (fragment.isShared()) {
            varyAs(fragment);
        }
    }

    void joined(FlowingFragment fragment) {
        hasPrivatePart = true;
        if (needsAllParts) {
            keepTime();
            partsLifetime = partsLifetime.and(fragment.clientLifetime());
        }
    }

    void isPersonal() {
        hasPrivatePart = true;
    }

    /** A fragment is missing, and that is an error. */
    void omitted() {
        hasOmission = true;
        errors++;
    }

    /** Something could not be done as written. */
    void problem() {
        errors++;
    }

    void setCookie(String value) {
        hasPrivatePart = true;
        cookies.add(value);
    }

    void amended(Amendment by) {
        amendment = by;
        hasPrivatePart |= by.setsCookie();
        for (var field : by.fields()) {
            wrote((field.name() + ':' + field.value()).getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    void wrote(StoredResponse body, int start, int end) {
        if (!isForEverybody()) {
            return;
        }
        var hash = body.hash();
        if (hash != null) {
            tag.add(hash, start, end);
        } else {
            var from = body.body();
            var bytes = from.nioBuffer(from.readerIndex() + start, end - start);
            tag.add(ContentHash.of(bytes), 0, end - start);
        }
    }

    void wrote(byte[] text) {
        if (isForEverybody()) {
            tag.add(text);
        }
    }

    /**
     * What it says if it leaves now.
     *
     * @param isKnown whether every part has come or failed
     * @param isWritten whether every byte of the page has been written
     */
    Said said(boolean isKnown, boolean isWritten) {
        keepTime();
        var own = amendment.lifetime();
        if (own == null) {
            own = page.clientLifetimeAt(now);
        }
        var whole =
                PageLifetime.of(
                        own,
                        isKnown ? partsLifetime : partsLifetime.and(UNKNOWN_PART),
                        !isKnown || hasPrivatePart,
                        hasOmission || (amendment.isError() && !own.isReusable()));
        int status = amendment.status() == 0 ? page.status() : amendment.status();
        boolean hasTag =
                isWritten && status >= 200 && status <= 299 && PageLifetime.mayHaveTag(whole);
        return new Said(
                page,
                amendment,
                whole.cacheControl(),
                hasTag ? tag.text() : null,
                varies,
                cookies,
                isWritten ? errors : 0);
    }

    /** Whether the page may yet turn out to be one that has a tag. */
    private boolean isForEverybody() {
        return !hasPrivatePart && !hasOmission;
    }

    /** What has been said of the parts grows old while others are waited for. */
    private void keepTime() {
        if (timePasses) {
            var before = now;
            now = clock.get();
            partsLifetime = partsLifetime.after(Duration.between(before, now));
        }
    }

    /** What picks a fragment picks the page, for a cache between us and the client. */
    private void varyAs(StoredResponse fragment) {
        var fields = fragment.selecting().fields();
        for (int i = 0; i < fields.size(); i++) {
            var name = fields.get(i).name();
            boolean isKnown =
                    varies.contains(name)
                            || (page.isCompressible() && name.equals("accept-encoding"))
                            || page.selecting().fields().stream()
                                    .anyMatch(field -> field.name().equals(name));
            if (!isKnown) {
                varies.add(name);
            }
        }
    }
}
