package dev.quire.test.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A test class whose tests request pages from a site: {@link EsiExtension} provides the site and
 * resets it between tests.
 *
 * <pre>{@code
 * @EsiTest
 * class FrontPageTest {
 *     @TestedSite
 *     static EsiSite site() {
 *         return EsiSite.over(URI.create("http://localhost:8080"));
 *     }
 *
 *     @Test
 *     void countIsFreshForThreeSeconds(EsiSite site, TestClock clock) {
 *         site.get("/");
 *         clock.advance(Duration.ofSeconds(4));
 *         ...
 *     }
 * }
 * }</pre>
 *
 * <p>With parallel execution, tests of one class and of its nested classes still run one after
 * another, because they share the site; those of other classes run in parallel.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(EsiExtension.class)
@ResourceLock(providers = OneTestAtATime.class)
public @interface EsiTest {}
