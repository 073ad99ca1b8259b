package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.policy.CacheDecision.Decline;
import dev.quire.core.policy.CacheDecision.Hit;
import dev.quire.core.policy.CacheDecision.Miss;
import dev.quire.core.policy.CacheDecision.MissReason;
import dev.quire.core.policy.CacheDecision.Pass;
import dev.quire.core.policy.CacheDecision.PassReason;
import dev.quire.core.policy.CacheDecision.Revalidate;
import dev.quire.core.policy.CacheDecision.RevalidateReason;
import dev.quire.core.policy.CacheDecision.StaleHit;
import dev.quire.core.policy.CacheStatus.Explained;
import dev.quire.core.policy.CacheStatus.Forwarded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The members of Cache-Status. */
class Rfc9211Test {

    @Test
    void hitSaysWhatIsLeftOfItsLifetime() {
        assertThat(CacheStatus.Hit.HIT.parameters(376)).isEqualTo("hit; ttl=376");
    }

    @Test
    void staleHitHasANegativeTtl() {
        assertThat(CacheStatus.Hit.HIT.parameters(-412)).isEqualTo("hit; ttl=-412");
    }

    @Test
    void hitOnTheDiskSaysSo() {
        assertThat(CacheStatus.Hit.DISK.parameters(376)).isEqualTo("hit; ttl=376; detail=disk");
        assertThat(CacheStatus.Hit.BEHIND.parameters(9)).isEqualTo("hit; ttl=9; detail=behind");
        assertThat(new Explained(CacheStatus.Hit.DISK, "http://a.test/", "fresh").parameters(1))
                .isEqualTo("hit; ttl=1; key=\"http://a.test/\"; detail=\"disk, fresh\"");
    }

    @Test
    void forwardedSaysWhyAndWhatCameOfIt() {
        assertThat(new Forwarded(ForwardReason.URI_MISS, 200, true, true, false).parameters(60))
                .isEqualTo("fwd=uri-miss; fwd-status=200; stored; collapsed");
        assertThat(new Forwarded(ForwardReason.METHOD, 201, false, false, false).parameters(0))
                .isEqualTo("fwd=method; fwd-status=201");
    }

    @Test
    void whatStandsInForAFailureSaysHowStaleItIs() {
        assertThat(new Forwarded(ForwardReason.STALE, 503, false, false, true).parameters(-12))
                .isEqualTo("fwd=stale; fwd-status=503; ttl=-12");
        assertThat(new Forwarded(ForwardReason.STALE, 0, false, true, true).parameters(-12))
                .isEqualTo("fwd=stale; collapsed; ttl=-12");
    }

    @Test
    void keyAndDetailAreStringsWhateverIsInThem() {
        assertThat(
                        new Explained(CacheStatus.Hit.HIT, "http://a.test/x?q=\"\\é", "fresh")
                                .parameters(1))
                .isEqualTo("hit; ttl=1; key=\"http://a.test/x?q=\\\"\\\\?\"; detail=\"fresh\"");
    }

    @Test
    void detailMayBeGivenWithoutTheKey() {
        var stoodIn = new Forwarded(ForwardReason.STALE, 0, false, false, true);

        assertThat(new Explained(stoodIn, null, "slow").parameters(-12))
                .isEqualTo("fwd=stale; ttl=-12; detail=\"slow\"");
    }

    @ParameterizedTest
    @CsvSource({
        "METHOD, METHOD",
        "BODY, BYPASS",
        "HIT_FOR_MISS, MISS",
        "HEAD, MISS",
        "CONDITION, BYPASS",
        "RANGE, MISS",
        "NO_STORE, BYPASS",
        "UPGRADE, BYPASS"
    })
    void passIsForwardedForItsReason(PassReason reason, ForwardReason forward) {
        assertThat(new Pass<>(reason).forwardReason()).isEqualTo(forward);
    }

    @ParameterizedTest
    @CsvSource({"URI_MISS, URI_MISS", "VARY_MISS, VARY_MISS", "STALE, STALE", "REQUEST, REQUEST"})
    void missIsForwardedForItsReason(MissReason reason, ForwardReason forward) {
        assertThat(new Miss<>(reason).forwardReason()).isEqualTo(forward);
    }

    @ParameterizedTest
    @CsvSource({"STALE, STALE", "NO_CACHE, STALE", "REQUEST, REQUEST"})
    void validationIsForwardedForItsReason(RevalidateReason reason, ForwardReason forward) {
        assertThat(new Revalidate<>("stored", reason).forwardReason()).isEqualTo(forward);
    }

    @Test
    void whatIsAnsweredHereIsNotForwarded() {
        assertThat(new Hit<>("stored").forwardReason()).isNull();
        assertThat(new StaleHit<>("stored").forwardReason()).isNull();
        assertThat(new Decline<>().forwardReason()).isNull();
    }
}
