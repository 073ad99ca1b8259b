package dev.quire.core.assemble;

import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.ContentHash;
import dev.quire.core.policy.PageLifetime;
import dev.quire.core.policy.PageTag;
import dev.quire.core.policy.SelectingFields;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The head of one assembled page: lifetime, entity tag and Vary, gathered from its parts as they
 * arrive and are written, until the head is sent. Belongs to one thread.
 *
 * @param <P> documents and fragments
 */
public final class PageHead<P extends PageHead.Part> {

    /*
     * Nothing of the page's own validators is said: they speak of the document, and would hide a
     * fragment that has changed. There is an ETag only if the page is written to its last byte
     * before its head leaves and everybody gets the same; and never a Last-Modified, for which
     * "the newest of all parts" is no answer once a fragment goes or an older one takes its place.
     */

    /** What the head depends on of a document or a stored fragment. */
    public interface Part {
        /** The status it came with. */
        int status();

        /** Whether it may be part of every client's page. */
        boolean isShared();

        /** What its fields let a client do from {@code now} on. */
        ClientLifetime clientLifetimeAt(Instant now);

        /** The request fields that it was picked by. */
        SelectingFields selecting();
    }

    /**
     * The head as it is sent.
     *
     * @param page the document
     * @param amendment what the page changes of the document's status and fields
     * @param cacheControl for clients
     * @param tag the entity tag; null if the page has none
     * @param varies names to add to the document's Vary, in lower case
     * @param cookies values of Set-Cookie to add
     * @param errors how many fragments or expressions failed; 0 if that is not known yet
     */
    public record Said<P extends Part>(
            P page,
            PageAmendment amendment,
            String cacheControl,
            @Nullable String tag,
            List<String> varies,
            List<String> cookies,
            int errors) {

        /** The page's status. */
        public int status() {
            return amendment.status() == 0 ? page.status() : amendment.status();
        }
    }

    /** A fragment that may yet turn out to be anything: nothing is promised. */
    private static final ClientLifetime UNKNOWN_PART =
            new ClientLifetime(false, false, true, false, Duration.ZERO);

    private final P page;
    private final Supplier<Instant> clock;
    private final boolean variesByCoding;
    private final boolean needsAllParts;
    private final PageTag tag = new PageTag();
    private final List<String> varies = new ArrayList<>(0);
    private final List<String> cookies = new ArrayList<>(0);

    /** The moment that {@link #partsLifetime} speaks of. */
    private Instant now;

    private ClientLifetime partsLifetime = ClientLifetime.UNRESTRICTED;
    private PageAmendment amendment = PageAmendment.NONE;
    private boolean timePasses;
    private boolean hasPrivatePart;
    private boolean hasOmission;
    private int errors;

    /**
     * @param clock monotonic, of the cache
     * @param isHeld whether the page waits for all of its parts in any case
     * @param variesByCoding whether Accept-Encoding is in the document's Vary in any case
     */
    public PageHead(P page, Supplier<Instant> clock, boolean isHeld, boolean variesByCoding) {
        this.page = page;
        this.clock = clock;
        this.variesByCoding = variesByCoding;
        this.now = clock.get();
        this.needsAllParts = isHeld || PageLifetime.needsAllParts(page.clientLifetimeAt(now));
        this.hasPrivatePart = !page.isShared();
    }

    /** Whether the head has to wait for every part, because they decide what it says. */
    public boolean needsAllParts() {
        return needsAllParts;
    }

    /** From now on parts are waited for, so the lifetimes of those that are there run down. */
    public void timePasses() {
        timePasses = true;
    }

    /** {@code fragment} becomes part of the page. */
    public void joined(P fragment) {
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

    /** A fragment of one client, which allows {@code fragment}, becomes part of the page. */
    public void joined(ClientLifetime fragment) {
        hasPrivatePart = true;
        if (needsAllParts) {
            keepTime();
            partsLifetime = partsLifetime.and(fragment);
        }
    }

    /** The page holds text that was made for its client alone. */
    public void isPersonal() {
        hasPrivatePart = true;
    }

    /** A fragment is missing, and that is an error. */
    public void omitted() {
        hasOmission = true;
        errors++;
    }

    /** Something could not be evaluated as written. */
    public void problem() {
        errors++;
    }

    /** The page sets a cookie that one of its fragments has set. */
    public void setCookie(String value) {
        hasPrivatePart = true;
        cookies.add(value);
    }

    /** The page changes its own response. */
    public void amended(PageAmendment by) {
        amendment = by;
        hasPrivatePart |= by.setsCookie();
        for (var field : by.fields()) {
            wrote((field.name() + ':' + field.value()).getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** The bytes from {@code start} to {@code end} of a part are written. */
    public void wrote(ContentHash part, int start, int end) {
        if (mayHaveTag()) {
            tag.add(part, start, end);
        }
    }

    /** Evaluated text is written. */
    public void wrote(byte[] text) {
        if (mayHaveTag()) {
            tag.add(text);
        }
    }

    /**
     * The head if it is sent now.
     *
     * @param isKnown whether every part has come or failed
     * @param isWritten whether every byte of the page has been written
     */
    public Said<P> said(boolean isKnown, boolean isWritten) {
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
        return new Said<>(
                page,
                amendment,
                whole.cacheControl(),
                hasTag ? tag.text() : null,
                varies,
                cookies,
                isWritten ? errors : 0);
    }

    /** Whether the page may still have a tag, so that what is written counts for it. */
    public boolean mayHaveTag() {
        return !hasPrivatePart && !hasOmission;
    }

    /** The lifetimes of the parts run down while others are waited for. */
    private void keepTime() {
        if (timePasses) {
            var before = now;
            now = clock.get();
            partsLifetime = partsLifetime.after(Duration.between(before, now));
        }
    }

    /** What picks a fragment picks the page, for a cache between us and the client. */
    private void varyAs(P fragment) {
        var fields = fragment.selecting().fields();
        for (int i = 0; i < fields.size(); i++) {
            var name = fields.get(i).name();
            boolean isKnown =
                    varies.contains(name)
                            || (variesByCoding && name.equals("accept-encoding"))
                            || page.selecting().fields().stream()
                                    .anyMatch(field -> field.name().equals(name));
            if (!isKnown) {
                varies.add(name);
            }
        }
    }
}
