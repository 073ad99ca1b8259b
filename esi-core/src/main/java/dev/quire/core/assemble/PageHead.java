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
 * The head of one assembled page: lifetime, entity tag and Vary, collected from its parts as they
 * arrive and are written, until the head is sent. Confined to one thread.
 *
 * @param <P> documents and fragments
 */
public final class PageHead<P extends PageHead.Part> {

    /*
     * The document's own validators are not sent: they do not cover the fragments, and would hide a
     * changed one. There is an ETag only if the page is complete before its head is sent, and the
     * same for all clients. There is never a Last-Modified: "the newest of all parts" would be
     * wrong once a fragment is removed or replaced by an older one.
     */

    /** The properties of a document or stored fragment that affect the head. */
    public interface Part {
        int status();

        /** Whether it may be part of every client's page. */
        boolean isShared();

        /** Returns what its fields allow a client from {@code now} on. */
        ClientLifetime clientLifetimeAt(Instant now);

        /** Whether its fields say how clients may store it. */
        boolean hasClientLifetime();

        SelectingFields selecting();
    }

    /**
     * The head as it is sent.
     *
     * @param page the document
     * @param amendment the page's changes to the document's status and fields
     * @param cacheControl for clients
     * @param tag the entity tag; null if the page has none
     * @param varies names to add to the document's Vary, in lower case
     * @param cookies values of Set-Cookie to add
     * @param errors how many fragments or expressions failed; 0 if not known yet
     */
    public record Snapshot<P extends Part>(
            P page,
            PageAmendment amendment,
            String cacheControl,
            @Nullable String tag,
            List<String> varies,
            List<String> cookies,
            int errors) {

        public int status() {
            return amendment.status() == 0 ? page.status() : amendment.status();
        }
    }

    /** A fragment that has not arrived: it may turn out to allow nothing. */
    private static final ClientLifetime UNKNOWN_PART =
            new ClientLifetime(false, false, true, false, Duration.ZERO);

    private final P page;
    private final Supplier<Instant> clock;
    private final boolean variesByCoding;
    private final boolean needsAllParts;
    private final PageTag tag = new PageTag();
    private final List<String> varies = new ArrayList<>(0);
    private final List<String> cookies = new ArrayList<>(0);

    /** The time that {@link #partsLifetime} refers to. */
    private Instant now;

    private ClientLifetime partsLifetime = ClientLifetime.UNRESTRICTED;
    private PageAmendment amendment = PageAmendment.NONE;
    private boolean timePasses;
    private boolean hasPrivatePart;
    private boolean hasOmission;
    private int errors;

    /**
     * @param clock monotonic, of the cache
     * @param isBuffered whether the page waits for all of its parts in any case
     * @param variesByCoding whether Accept-Encoding is in the document's Vary in any case
     */
    public PageHead(P page, Supplier<Instant> clock, boolean isBuffered, boolean variesByCoding) {
        this.page = page;
        this.clock = clock;
        this.variesByCoding = variesByCoding;
        this.now = clock.get();
        this.needsAllParts = isBuffered || PageLifetime.needsAllParts(page.clientLifetimeAt(now));
        this.hasPrivatePart = !page.isShared();
    }

    /** Whether the head has to wait for every part, because its content depends on them. */
    public boolean needsAllParts() {
        return needsAllParts;
    }

    /**
     * Called when waiting for parts begins, so the lifetimes of present parts decrease from now on.
     */
    public void timePasses() {
        timePasses = true;
    }

    public void joined(P fragment) {
        hasPrivatePart |= !fragment.isShared();
        // If the head does not wait for all parts, it is a race whether a private part arrives
        // before it.
        if (fragment.isShared() || needsAllParts) {
            keepTime();
            partsLifetime = partsLifetime.and(fragment.clientLifetimeAt(now));
        }
        if (fragment.isShared()) {
            varyAs(fragment);
        }
    }

    /** Adds a private fragment, which allows clients {@code fragment}. */
    public void joined(ClientLifetime fragment) {
        hasPrivatePart = true;
        if (needsAllParts) {
            keepTime();
            partsLifetime = partsLifetime.and(fragment);
        }
    }

    /** Marks the page as containing text for this client only. */
    public void isPersonal() {
        hasPrivatePart = true;
    }

    /** Counts a missing fragment as an error. */
    public void omitted() {
        hasOmission = true;
        errors++;
    }

    /** Counts an evaluation error. */
    public void problem() {
        errors++;
    }

    /** Adds a cookie that one of the fragments has set. */
    public void setCookie(String value) {
        hasPrivatePart = true;
        cookies.add(value);
    }

    /** Sets the page's changes to its own response. */
    public void amended(PageAmendment by) {
        amendment = by;
        hasPrivatePart |= by.setsCookie();
        for (var field : by.fields()) {
            wrote((field.name() + ':' + field.value()).getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Adds the bytes from {@code start} to {@code end} of a part to the tag. */
    public void wrote(ContentHash part, int start, int end) {
        if (mayHaveTag()) {
            tag.add(part, start, end);
        }
    }

    /** Adds evaluated text to the tag. */
    public void wrote(byte[] text) {
        if (mayHaveTag()) {
            tag.add(text);
        }
    }

    /**
     * Returns the head if it is sent now.
     *
     * @param isKnown whether every part has arrived or failed
     * @param isWritten whether every byte of the page has been written
     */
    public Snapshot<P> snapshot(boolean isKnown, boolean isWritten) {
        keepTime();
        var own = amendment.lifetime();
        if (own == null) {
            own = page.clientLifetimeAt(now);
        } else if (page.hasClientLifetime()) {
            // A page may only restrict what its document allows.
            own = own.and(page.clientLifetimeAt(now));
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
        return new Snapshot<>(
                page,
                amendment,
                whole.cacheControl(),
                hasTag ? tag.text() : null,
                varies,
                cookies,
                isWritten ? errors : 0);
    }

    /** Whether the page may still have a tag. */
    public boolean mayHaveTag() {
        return !hasPrivatePart && !hasOmission;
    }

    /** Reduces the lifetimes of the parts by the time spent waiting. */
    private void keepTime() {
        if (timePasses) {
            var before = now;
            now = clock.get();
            partsLifetime = partsLifetime.after(Duration.between(before, now));
        }
    }

    /** Request fields that select a fragment also select the page, for downstream caches. */
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
