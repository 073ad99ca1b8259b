<%@ page session="false" contentType="text/html; charset=UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="esi" uri="https://quire.dev/esi" %>
<esi:control ttl="30s" stale="5m" staleIfError="1h" browser="max-age=5" tags="news  article-${param.id}"/>kept