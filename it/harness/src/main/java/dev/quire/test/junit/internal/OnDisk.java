package dev.quire.test.junit.internal;

import dev.quire.test.wire.internal.StorageTier;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests of proxies that keep responses on disk alone: the tests of the class above, unchanged. Each
 * hit is read from the disk. Only for proxies with sockets in this JVM.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(OnDisk.Selection.class)
public @interface OnDisk {

    /** Selects the tier for the test's thread. */
    final class Selection extends Selecting {
        @Override
        void select() {
            StorageTier.DISK.select();
        }

        @Override
        void unselect() {
            StorageTier.unselect();
        }
    }
}
