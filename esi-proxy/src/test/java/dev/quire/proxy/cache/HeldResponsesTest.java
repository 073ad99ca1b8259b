package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.SentRequest;
import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Responses are found as long as someone needs them. */
class HeldResponsesTest {
    private static final VariantRequest ANY = SentRequest.of(CacheHouse.get())::isSelectedBy;

    private final Records records = new Records();
    private final InFlightBudget transit = new InFlightBudget(1 << 20);
    private final HeldResponses held = new HeldResponses(transit);

    @AfterEach
    void nothingIsLeft() {
        held.clear();
        assertThat(held.isEmpty()).isTrue();
        assertThat(transit.usedBytes()).isZero();
    }

    @Test
    void newerResponseReplacesTheOlderOne() {
        var older = held("older");
        records.pass(Duration.ofSeconds(1));
        var newer = held("newer");

        assertThat(older.isReplaced()).isTrue();
        assertThat(newer.isReplaced()).isFalse();
        assertThat(found()).isEqualTo("newer");
    }

    @Test
    void olderResponseIsReplacedAtOnce() {
        var older = response("older");
        records.pass(Duration.ofSeconds(1));
        held("newer");
        var late = held.hold(older);
        older.release();

        assertThat(late.isReplaced()).isTrue();
        assertThat(held.hasNewerThan(older)).isTrue();
        assertThat(found()).isEqualTo("newer");
    }

    @Test
    void newerResponseReplacesThoseOfOtherSelectingFields() {
        var varying = response("varying", "Vary", "X-A");
        var hold = held.hold(varying);
        records.pass(Duration.ofSeconds(1));
        var newer = held("newer");
        assertThat(hold.isReplaced()).isTrue();

        held.release(newer);
        assertThat(found()).isEqualTo("newer");
        var late = held.hold(varying);
        varying.release();

        assertThat(late.isReplaced()).isTrue();
        assertThat(found()).isEqualTo("newer");
        held.release(hold);
        held.release(late);
        assertThat(found()).isNull();
    }

    @Test
    void responsesToOtherRequestsAreBothHeld() {
        var one = response("one", "Vary", "X-A");
        var hold = held.hold(one);
        records.pass(Duration.ofSeconds(1));
        var request = Fields.of("X-A", "1");
        var other = records.plain(request, "other", "Cache-Control", "max-age=9", "Vary", "X-A");
        held.hold(other);
        one.release();
        other.release();

        assertThat(hold.isReplaced()).isFalse();
        assertThat(found()).isEqualTo("one");
    }

    @Test
    void whoeverHoldsAReplacedResponseFindsTheOtherOne() {
        var one = held("one");
        records.pass(Duration.ofSeconds(1));
        var other = held("other");

        held.release(other);
        assertThat(found()).isEqualTo("other");
        held.release(one);
        assertThat(found()).isNull();
    }

    @Test
    void responseThatIsHeldTwiceIsAccountedForOnce() {
        var response = response("text");
        held.release(held.hold(response));
        held.release(held.hold(response));

        assertThat(transit.usedBytes()).isPositive();
        response.release();
    }

    @Test
    void copyWithAnotherFreshnessReplacesNoHold() {
        var response = response("text");
        var hold = held.hold(response);
        var copy = held.held(response.with(response.freshness().expiredAt(records.now())));
        response.release();
        assertThat(hold.isReplaced()).isFalse();

        held.release(copy);
        assertThat(found()).isEqualTo("text");
        held.release(hold);
        assertThat(found()).isNull();
    }

    @Test
    void copyThatIsDroppedReplacesTheHoldsOfItsResponse() {
        var response = response("text");
        var hold = held.hold(response);
        var copy = response.with(response.freshness().expiredAt(records.now()));
        held.hold(copy);
        held.drop(Records.KEY, each -> Variants.areOne(each, response));
        response.release();
        copy.release();

        assertThat(hold.isReplaced()).isTrue();
        assertThat(found()).isNull();
    }

    @Test
    void droppedResponseIsNotFoundThoughItIsHeld() {
        var hold = held("text");
        held.drop(Records.KEY, response -> true);

        assertThat(hold.isReplaced()).isTrue();
        assertThat(found()).isNull();
        held.release(hold);
    }

    @Test
    void responseThatIsLetGoIsNotFoundMeanwhile() {
        var older = held("older");
        records.pass(Duration.ofSeconds(1));
        var looks = new ArrayList<@Nullable StoredResponse>();
        var newer = response("newer").with(new FileBody(new Watched(looks), 0, 0));
        held.release(held.held(newer));

        held.release(older);

        assertThat(looks).containsExactly((StoredResponse) null);
    }

    /** Another thread looks while it is released. */
    private final class Watched implements OpenRecord {
        private final List<@Nullable StoredResponse> looks;

        Watched(List<@Nullable StoredResponse> looks) {
            this.looks = looks;
        }

        @Override
        public FileRegion region(long from, long bytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void read(long from, int bytes, ByteBuf to) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void release() {
            looks.add(
                    CompletableFuture.supplyAsync(() -> held.find(Records.KEY, ANY))
                            .orTimeout(10, TimeUnit.SECONDS)
                            .join());
        }
    }

    private HeldResponses.Hold held(String text) {
        var response = response(text);
        var hold = held.hold(response);
        response.release();
        return hold;
    }

    private StoredResponse response(String text, String... fields) {
        var all = new ArrayList<>(List.of("Cache-Control", "max-age=9"));
        all.addAll(List.of(fields));
        return records.plain(Fields.EMPTY, text, all.toArray(String[]::new));
    }

    private @Nullable String found() {
        var found = held.find(Records.KEY, ANY);
        if (found == null) {
            return null;
        }
        var text = found.body().toString(StandardCharsets.ISO_8859_1);
        found.release();
        return text;
    }
}
