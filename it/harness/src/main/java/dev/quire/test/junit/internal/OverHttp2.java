package dev.quire.test.junit.internal;

import dev.quire.test.wire.internal.ClientProtocol;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

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
    final class Selection
            implements BeforeAllCallback,
                    TestInstancePreConstructCallback,
                    BeforeEachCallback,
                    AfterEachCallback,
                    AfterAllCallback {

        @Override
        public void beforeAll(ExtensionContext context) {
            ClientProtocol.http2().select();
        }

        /** Fields of the test may start proxies. */
        @Override
        public void preConstructTestInstance(
                TestInstanceFactoryContext factory, ExtensionContext context) {
            ClientProtocol.http2().select();
        }

        @Override
        public void beforeEach(ExtensionContext context) {
            ClientProtocol.http2().select();
        }

        @Override
        public void afterEach(ExtensionContext context) {
            ClientProtocol.unselect();
        }

        @Override
        public void afterAll(ExtensionContext context) {
            ClientProtocol.unselect();
        }
    }
}
