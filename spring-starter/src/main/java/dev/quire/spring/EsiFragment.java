package dev.quire.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How long a surrogate may keep what a handler writes, a fragment as a rule; {@link EsiPage} says
 * the same of a page. On a method it replaces what its class says, whole; it may stand on another
 * annotation, whose members become its own by {@code @AliasFor}. The response may turn out more
 * private than this, never less: see {@link SurrogateFilter}.
 *
 * <p>Durations are whole seconds, written {@code 30s}, {@code 5m}, {@code 1d} or {@code PT30S}. A
 * wrong one stops the application from starting, as a wrong tag does.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface EsiFragment {

    /** How long it is fresh; {@code 0s} has it validated each time. */
    String ttl() default "0s";

    /**
     * How long after that it may be served while it is fetched anew; the surrogate's own if empty.
     */
    String stale() default "";

    /** How long it may be served when fetching it fails; the surrogate's own if empty. */
    String staleIfError() default "";

    /** {@code Cache-Control} towards the client, unless the handler sets that field itself. */
    String browser() default "no-cache";

    /**
     * Names to purge it by. {@code #{…}} is a SpEL expression over the handler's arguments and what
     * it returns: {@code article-#{#aid}}, {@code section-#{#result.sid}}. Neither blanks nor
     * commas.
     */
    String[] tags() default {};

    /**
     * Names of the variants it differs by, such as {@code login}: whoever keeps it keeps each one
     * by itself. Only a surrogate that knows them gets to keep it.
     */
    String[] vary() default {};

    /** Whom it is for. */
    Scope scope() default Scope.PUBLIC;

    /**
     * What logs, metrics and the actuator call it; class and method if empty. One name for all
     * requests, so nothing of a request is in it.
     */
    String name() default "";

    /**
     * How long whoever assembles the page should wait for it, a hint: an include that is written by
     * naming the handler says so. Empty for the assembler's own.
     */
    String timeout() default "";

    /** Whom a response is for. */
    enum Scope {
        /** The same for everyone. */
        PUBLIC,
        /** For the one who asked; never stored. */
        PRIVATE
    }
}
