package dev.quire.test.junit.internal;

import dev.quire.test.wire.internal.ClientProtocol;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests whose clients reach the proxies that they start over HTTP/2 and TLS: the tests of the class
 * above, unchanged. The clients of the test speak HTTP/1.1 to a bridge. Only for proxies in this
 * JVM.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(OverHttp2.Selection.class)
public @interface OverHttp2 {

    /** Selects the protocol for the test's thread. */
    final class Selection extends Selecting {
        @Override
        void select() {
            ClientProtocol.http2().select();
        }

        @Override
        void unselect() {
            ClientProtocol.unselect();
        }
    }
}
