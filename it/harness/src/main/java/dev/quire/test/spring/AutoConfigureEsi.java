package dev.quire.test.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A Spring test with its application as a site. With {@link dev.quire.test.junit.EsiTest} its tests
 * get that site:
 *
 * <pre>{@code
 * @EsiTest
 * @SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
 * @AutoConfigureEsi(mode = EsiMode.PROXY)
 * class FrontPageTest {
 *     @Test
 *     void countIsFreshForThreeSeconds(EsiSite site, TestClock clock) { ... }
 * }
 * }</pre>
 *
 * <p>The context has a {@link RecordingSurrogateClient} and no other surrogate: {@code
 * quire.surrogate.urls} is emptied. The application's invalidations are applied to the site.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface AutoConfigureEsi {

    /** The assembler of the pages. */
    EsiMode mode() default EsiMode.MOCK_MVC;
}
