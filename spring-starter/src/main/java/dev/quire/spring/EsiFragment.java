package dev.quire.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The caching policy of a handler's response, usually a fragment; {@link EsiPage} is the same for a
 * page. On a method it replaces the annotation of the class entirely. It may be a meta-annotation,
 * with members overridden by {@code @AliasFor}. The response may become more private than declared,
 * never less, by what handler and view read and write.
 *
 * <p>Durations are whole seconds, written {@code 30s}, {@code 5m}, {@code 1d} or {@code PT30S}. A
 * malformed duration or tag stops the application from starting.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface EsiFragment {

    /** The freshness lifetime; with {@code 0s} every use is validated. */
    String ttl() default "0s";

    /**
     * The grace: how long after that it may be served stale while it is refreshed; the surrogate's
     * default if empty.
     */
    String stale() default "";

    /** How long it may be served stale when fetching it fails; the surrogate's default if empty. */
    String staleIfError() default "";

    /** {@code Cache-Control} for the client, unless the handler sets that field. */
    String browser() default "no-cache";

    /**
     * Tags to purge it by. {@code #{…}} is a SpEL expression over the handler's arguments and its
     * return value: {@code article-#{#aid}}, {@code section-#{#result.sid}}. Blanks and commas are
     * not allowed.
     */
    String[] tags() default {};

    /**
     * Names of its variants, such as {@code login}; each is stored separately. Only surrogates that
     * know the variants may store it.
     */
    String[] vary() default {};

    /** Whether it is shared or for one client. */
    Scope scope() default Scope.PUBLIC;

    /**
     * Its name in logs, metrics and the actuator; class and method if empty. The same for all
     * requests, so it contains no request data.
     */
    String name() default "";

    /**
     * A hint how long assembly should wait for it: an include by handler method sets it as its
     * timeout. The assembler's default if empty.
     */
    String timeout() default "";

    /** Whether a response is shared or for one client. */
    enum Scope {
        /** The same for every client. */
        PUBLIC,
        /** For one client; never stored. */
        PRIVATE
    }
}
