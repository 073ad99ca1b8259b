package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.settings.StampProperties;
import dev.quire.spring.internal.stamp.LastWrite;
import dev.quire.spring.internal.stamp.Placeholder;
import dev.quire.spring.internal.stamp.StampSwap;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LastWriteTest {

    private static final String SECRET = "PLACEHOLDERplaceholder";
    private static final String NONCE = "nonce_of_this-request0";

    private final List<String> events = new ArrayList<>();
    private final StampSwap swap = Placeholder.of(new StampProperties(true, SECRET)).swapFor(NONCE);
    private final Container out = new Container();
    private final LastWrite last = new LastWrite(new Application(), out, swap);

    /** The size of the application's writes. */
    private void write(String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        swap.write(bytes, 0, bytes.length, out);
    }

    @Test
    void whatIsKeptBackGoesAsSoonAsTheContainerTakesIt() throws IOException {
        write("text" + SECRET.substring(0, 7));
        out.isReady = false;

        last.end(() -> events.add("completed"));
        assertThat(out.text()).isEqualTo("text");
        assertThat(events).isEmpty();

        out.isReady = true;
        last.onWritePossible();
        assertThat(out.text()).isEqualTo("text" + SECRET.substring(0, 7));
        assertThat(events).containsExactly("completed");

        last.onWritePossible();
        assertThat(events).containsExactly("completed");
    }

    @Test
    void nothingIsWaitedForIfNothingIsKeptBackOrTheContainerIsReady() throws IOException {
        out.isReady = false;
        last.end(() -> events.add("empty"));
        out.isReady = true;
        write("x" + SECRET.substring(0, 2));
        last.end(() -> events.add("ready"));

        assertThat(events).containsExactly("empty", "ready");
        assertThat(out.text()).isEqualTo("x" + SECRET.substring(0, 2));
    }

    @Test
    void theApplicationIsAskedUntilItIsDone() throws IOException {
        last.onWritePossible();
        last.onError(new IOException("gone"));

        assertThat(events).containsExactly("asked", "gone");
    }

    private final class Application implements WriteListener {

        @Override
        public void onWritePossible() {
            events.add("asked");
        }

        @Override
        public void onError(Throwable fault) {
            events.add(fault.getMessage());
        }
    }

    /** Accepts bytes only when ready, like a container's stream. */
    private static final class Container extends ServletOutputStream {

        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private boolean isReady = true;

        String text() {
            return taken.toString(StandardCharsets.ISO_8859_1);
        }

        @Override
        public boolean isReady() {
            return isReady;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(int value) {
            if (!isReady) {
                throw new IllegalStateException("not ready");
            }
            taken.write(value);
        }
    }
}
