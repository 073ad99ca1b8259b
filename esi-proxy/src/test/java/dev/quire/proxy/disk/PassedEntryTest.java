package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quire.proxy.cache.InvalidationEntry;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PassedEntryTest {
    private static final Time TIME =
            new Time() {
                @Override
                public Instant now() {
                    return Entries.CLOCKS.now();
                }

                @Override
                public Instant wall() {
                    return Entries.CLOCKS.wall();
                }
            };

    @ParameterizedTest
    @MethodSource("dev.quire.proxy.disk.Entries#all")
    void entryIsReadAsItWasWritten(InvalidationEntry entry) {
        assertThat(PassedEntry.read(PassedEntry.write(entry, TIME), TIME)).isEqualTo(entry);
    }

    @ParameterizedTest
    @MethodSource("dev.quire.proxy.disk.Entries#all")
    void entryThatIsCutIsMalformed(InvalidationEntry entry) {
        var whole = PassedEntry.write(entry, TIME);
        for (int length = 0; length < whole.readableBytes(); length++) {
            refused(whole.slice(0, length));
        }
        refused(Unpooled.wrappedBuffer(whole, Unpooled.buffer().writeByte(0)));
    }

    @Test
    void otherContentIsMalformed() {
        var entry = Entries.all().getFirst();
        refused(PassedEntry.write(entry, TIME).setInt(0, PassedEntry.VERSION + 1));
        var begin = Unpooled.buffer().writeInt(PassedEntry.VERSION);
        JournalBytes.write(new JournalItem.Begin(1, 2, 3, 4), Entries.CLOCKS, begin);
        refused(begin);
    }

    @Test
    void versionIsItsOwn() {
        var entry = Entries.all().getFirst();

        assertThat(PassedEntry.write(entry, TIME).getInt(0)).isEqualTo(1);
    }

    private static void refused(ByteBuf bytes) {
        assertThatIllegalArgumentException().isThrownBy(() -> PassedEntry.read(bytes, TIME));
    }
}
